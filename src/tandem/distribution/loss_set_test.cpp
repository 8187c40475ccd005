// The loss of a model by its formula: sums of weight x row loss over the number of values, over replicas and outputs.
#include "tandem/distribution/loss_set.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tandem/core/mask.h"
#include "tandem/losses/mean_squared_error.h"
#include "tandem/losses/sparse_categorical_crossentropy.h"
#include "tandem/testing/message_of.h"

namespace tandem::distribute {
namespace {

using testing::message_of;

LossSet squared_error() { return LossSet({losses::MeanSquaredError().get()}, {1.0}); }
Tensor column(std::vector<float> values) { return at::tensor(values).view({-1, 1}); }

TEST(LossSet, PartsOfAllReplicasAddUpToTheMean) {  // U07: losses 3, 3 on one and 6 on the other are 4, not 4.5
  const auto set = squared_error();
  const auto part = [&](const Tensor& y) {
    const auto sums = set.add_up(at::zeros_like(y), {}, {at::zeros_like(y), y, {}});
    EXPECT_EQ(sums.counts, (std::vector<double>{static_cast<double>(y.size(0))}));
    return set.mean(sums, {3}).total.item<double>();
  };
  EXPECT_NEAR(part(column({3, 3}).sqrt()) + part(column({6}).sqrt()), 4, 1e-6);
}

TEST(LossSet, ASumIsNotDivided) {
  const LossSet set({losses::MeanSquaredError({.reduction = "sum"}).get()}, {1.0});
  const Tensor y = column({1, 2, 3});
  const auto sums = set.add_up(at::zeros({3, 1}), {}, {y, y, at::tensor({0.5F, 0.0F, 2.0F})});
  EXPECT_NEAR(set.mean(sums, {12}).total.item<double>(), 0.5 * 1 + 2 * 9, 1e-6);
}

TEST(LossSet, SampleWeightsMultiplyAndDoNotCount) {
  const auto set = squared_error();
  const Tensor y = column({1, 2, 3});
  const auto sums = set.add_up(at::zeros({3, 1}), {}, {y, y, at::tensor({0.5F, 0.0F, 2.0F})});
  EXPECT_NEAR(set.mean(sums, sums.counts).total.item<double>(), (0.5 * 1 + 2 * 9) / 3, 1e-6);
}

TEST(LossSet, ValuesWithFurtherAxesCountEach) {
  const auto set = squared_error();  // (2, 3, 1): a value for each of 6 places
  const Tensor y = at::ones({2, 3, 1});
  const auto sums = set.add_up(at::zeros({2, 3, 1}), {}, {y, y, at::tensor({1.0F, 3.0F})});
  EXPECT_EQ(sums.counts, (std::vector<double>{6}));
  EXPECT_NEAR(set.mean(sums, sums.counts).total.item<double>(), (3 * 1 + 3 * 3) / 6.0, 1e-6);
}

TEST(LossSet, OutputsAreWeighedInTheTotalOnly) {
  const LossSet set({losses::MeanSquaredError().get(), losses::MeanSquaredError().get()}, {1.0, 0.25});
  const Tensor a = column({1, 1}), b = column({2, 4});
  const auto sums = set.add_up({at::zeros({2, 1}), at::zeros({2, 1})}, {}, {{a}, {a, b}, {}});
  const auto value = set.mean(sums, sums.counts);
  EXPECT_NEAR(value.parts[0].item<double>(), 1, 1e-6);
  EXPECT_NEAR(value.parts[1].item<double>(), 10, 1e-6);
  EXPECT_NEAR(value.total.item<double>(), 1 + 0.25 * 10, 1e-6);
}

TEST(LossSet, TheOutputsMaskLeavesOutSteps) {
  const auto set = squared_error();
  const Tensor y = at::tensor({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}).view({2, 3, 1}), output = at::zeros({2, 3, 1});
  set_mask(output, at::tensor({1, 0, 1, 0, 0, 1}).to(at::kBool).view({2, 3}));
  auto sums = set.add_up(output, {}, {y, y, {}});
  EXPECT_TRUE(sums.masked);
  EXPECT_EQ(sums.counts, (std::vector<double>{3}));
  EXPECT_NEAR(set.mean(sums, sums.counts).total.item<double>(), (1 + 9 + 36) / 3.0, 1e-5);
  // Weights by step, as Keras takes them for (rows, steps) and (rows, steps, 1).
  const Tensor weights = at::tensor({1.0F, 9.0F, 0.5F, 9.0F, 9.0F, 2.0F}).view({2, 3});
  for (const auto& w : {weights, weights.unsqueeze(-1)}) {
    sums = set.add_up(output, {}, {y, y, w});
    EXPECT_NEAR(set.mean(sums, sums.counts).total.item<double>(), (1 + 0.5 * 9 + 2 * 36) / 3.0, 1e-5);
  }
  EXPECT_NE(message_of([&] {
              set.add_up(output, {}, {y, y, at::ones({2, 2})});
            }).find("sample weights must have"),
            std::string::npos);
}

TEST(LossSet, MaskedValuesLeaveTheDivisor) {
  const LossSet set({losses::SparseCategoricalCrossentropy({.from_logits = true, .ignore_class = 0}).get()}, {1.0});
  // Logits 0 for 4 classes: each loss is log 4; 3 of 6 labels are ignored, weights are 1 and 2 by row.
  const Tensor labels = at::tensor({0, 1, 2, 0, 3, 0}, at::kInt).view({2, 3});
  const Tensor logits = at::zeros({2, 3, 4}).requires_grad_(true);
  const auto sums = set.add_up(logits, {}, {logits, labels, at::tensor({1.0F, 2.0F})});
  EXPECT_TRUE(sums.masked);
  EXPECT_EQ(sums.counts, (std::vector<double>{3}));
  const auto value = set.mean(sums, sums.counts);
  EXPECT_NEAR(value.total.item<double>(), std::log(4.0) * (1 + 1 + 2) / 3, 1e-6);
  value.total.backward();
  EXPECT_EQ(logits.grad()[0][0].abs().sum().item<double>(), 0);
  EXPECT_GT(logits.grad()[1][1].abs().sum().item<double>(), 0);

  const auto all = set.add_up(logits, {}, {logits, at::zeros({2, 3}, at::kInt), {}});
  EXPECT_EQ(set.mean(all, all.counts).total.item<double>(), 0) << "everything masked is 0, as in Keras";
}

TEST(LossSet, MaskWithoutItsFlagIsRefused) {
  struct Forgetful : Loss {
    Tensor call(const Tensor&, const Tensor& y_pred) const override { return y_pred.select(-1, 0); }
    Tensor mask(const Tensor&, const Tensor& y_pred) const override { return at::ones({y_pred.size(0)}, at::kBool); }
    std::string class_name() const override { return "Forgetful"; }
  };
  const LossSet set({std::make_shared<Forgetful>()}, {1.0});
  EXPECT_EQ(message_of([&] {
              set.add_up(at::ones({2, 1}), {}, {at::ones({2, 1}), at::ones({2, 1}), {}});
            }),
            "loss Forgetful: must override has_mask together with mask");
}

TEST(LossSet, NumbersMustAgree) {
  EXPECT_EQ(
      message_of([] {
        squared_error().add_up({at::ones({2, 1}), at::ones({2, 1})}, {}, {at::ones({2, 1}), at::ones({2, 1}), {}});
      }),
      "loss: a model with 2 outputs must get as many losses and targets, got 1 losses and 1 targets");
}

}  // namespace
}  // namespace tandem::distribute
