#include "tandem/metrics/mean_metric.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/core/mask.h"

namespace tandem {
namespace {

/// The mean of the predictions themselves.
MeanMetric mean_of_predictions() {
  return MeanMetric("Test", "test", [](const Tensor&, const Tensor& p) { return p; });
}

std::string message_of(MeanMetric& metric, const Tensor& y_pred, const Tensor& weight) {
  try {
    metric.update({}, y_pred, weight);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(MeanMetric, IsZeroBeforeAnyUpdateAndWhereAllWeightsAreZero) {
  auto metric = mean_of_predictions();
  EXPECT_EQ(metric.result(), 0);
  metric.update({}, at::ones({3}), at::zeros({3}));
  EXPECT_EQ(metric.result(), 0);
  metric.update({}, at::ones({0, 2}), {});  // a replica without rows
  EXPECT_EQ(metric.result(), 0);
}

TEST(MeanMetric, ARowCountsOnceWhateverItsNumberOfValues) {
  auto metric = mean_of_predictions();
  metric.update({}, at::full({2, 8}, 1.0f), {});
  metric.update({}, at::full({2}, 4.0f), {});
  EXPECT_DOUBLE_EQ(metric.result(), 2.5);
  EXPECT_DOUBLE_EQ(metric.states()[0].item<double>(), 10);
  EXPECT_DOUBLE_EQ(metric.states()[1].item<double>(), 4);
}

TEST(MeanMetric, WeightsOfRowsOrOfValues) {
  const Tensor values = at::tensor({1.0f, 2.0f, 3.0f, 4.0f}).view({2, 2});
  const struct {
    Tensor weight;
    double want;
  } cases[] = {
      {at::tensor({1.0f, 3.0f}), (1.5 * 1 + 3.5 * 3) / 4},
      {at::tensor({1.0f, 3.0f}).view({2, 1}), (1.5 * 1 + 3.5 * 3) / 4},
      {at::tensor({1.0f, 0.0f, 0.0f, 3.0f}).view({2, 2}), (1.0 * 1 + 4.0 * 3) / 4},
      {at::tensor({1.0f, 0.0f, 0.0f, 3.0f}).view({2, 2, 1}), (1.0 * 1 + 4.0 * 3) / 4},
  };
  for (const auto& [weight, want] : cases) {
    auto metric = mean_of_predictions();
    metric.update({}, values, weight);
    EXPECT_DOUBLE_EQ(metric.result(), want) << weight.sizes();
  }
}

TEST(MeanMetric, WhatTheMaskLeavesOutDoesNotCount) {
  const auto metric = Metric::make("mse");
  const Tensor y = at::tensor({1.0F, 2.0F, 3.0F, 4.0F}).view({2, 2, 1}), prediction = at::zeros({2, 2, 1});
  set_mask(prediction, at::tensor({1, 0, 1, 1}).to(at::kBool).view({2, 2}));
  metric->update(y, prediction, {});
  EXPECT_NEAR(metric->result(), (1 + 9 + 16) / 3.0, 1e-6);
  metric->reset();
  metric->update(y, prediction, at::tensor({1.0F, 5.0F, 0.0F, 3.0F}).view({2, 2}));
  EXPECT_NEAR(metric->result(), (1 + 3 * 16) / 4.0, 1e-6);
  metric->reset();
  metric->update(y, prediction, at::tensor({2.0F, 1.0F}));  // a weight a row
  EXPECT_NEAR(metric->result(), (2 * 1 + 9 + 16) / 4.0, 1e-6);
}

TEST(MeanMetric, NamesWeightsThatDoNotFit) {
  auto metric = mean_of_predictions();
  EXPECT_EQ(message_of(metric, at::ones({3}), at::ones({2})),
            "metric test: sample weights must have the shape of the values (3,) or one weight a row, got (2,)");
  EXPECT_NE(message_of(metric, at::ones({3, 2}), at::ones({1})).find("got (1,)"), std::string::npos);
  EXPECT_NE(message_of(metric, at::ones({3}), at::ones({3, 2})).find("got (3, 2)"), std::string::npos);
}

TEST(MeanMetric, ReplicasMergeToWhatOneWouldHave) {
  auto whole = mean_of_predictions();
  const auto first = whole.replicate(), second = whole.replicate();
  const Tensor values = at::rand({7}), weight = at::rand({7});
  whole.update({}, values, weight);
  first->update({}, values.slice(0, 0, 3), weight.slice(0, 0, 3));
  second->update({}, values.slice(0, 3), weight.slice(0, 3));
  EXPECT_EQ(first->name(), "test");
  EXPECT_EQ(whole.replicate()->result(), 0);
  first->merge(*second);
  EXPECT_NEAR(first->result(), whole.result(), 1e-7);
  const MeanMetric other("Other", "other", [](const Tensor&, const Tensor& p) { return p; });
  EXPECT_THROW(first->merge(other), InternalError);
}

TEST(MeanMetric, KeepsCountingWhereFloat32WouldStop) {
  auto metric = mean_of_predictions();
  metric.states()[0].fill_(16777216.0);  // 2^24: adding 1 changes no float32
  metric.states()[1].fill_(16777216.0);
  metric.update({}, at::ones({1}), {});
  EXPECT_EQ(metric.states()[1].item<double>(), 16777217.0);
}

TEST(MeanMetric, RecordsNoGradient) {
  bool recorded = true;
  MeanMetric metric("Test", "test", [&](const Tensor&, const Tensor& p) {
    const Tensor values = p * 2;
    recorded = values.requires_grad();
    return values;
  });
  metric.update({}, at::ones({2}).requires_grad_(), {});
  EXPECT_FALSE(recorded);
  EXPECT_EQ(metric.result(), 2);
}

}  // namespace
}  // namespace tandem
