#include "tandem/metrics/loss_metric.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/losses/function.h"
#include "tandem/losses/huber.h"
#include "tandem/losses/mean_squared_error.h"
#include "tandem/metrics/probabilistic_metrics.h"
#include "tandem/metrics/regression_metrics.h"

namespace tandem {
namespace {

TEST(LossMetric, AveragesALossOverRowsWhateverItsReduction) {
  const auto metric = metrics::from_loss(losses::MeanSquaredError({.reduction = "sum"})).get();
  EXPECT_EQ(metric->name(), "mean_squared_error");
  EXPECT_EQ(metric->direction(), Metric::Direction::kDown);
  metric->update(at::zeros({1, 2}), at::full({1, 2}, 3.0f), {});
  metric->update(at::zeros({2, 2}), at::zeros({2, 2}), {});
  EXPECT_DOUBLE_EQ(metric->result(), 3);
  const auto copy = metric->replicate();
  EXPECT_EQ(copy->result(), 0);
  copy->merge(*metric);
  EXPECT_DOUBLE_EQ(copy->result(), 3);
}

TEST(LossMetric, TakesNameAndConfigOfTheLoss) {
  const auto metric = metrics::from_loss(losses::Huber({.delta = 2}), "robust").get();
  EXPECT_EQ(metric->name(), "robust");
  EXPECT_EQ(metric->class_name(), "Huber");
  EXPECT_EQ(
      metric->get_config(),
      Config::object({{"name", "robust"}, {"dtype", "float32"}, {"reduction", "sum_over_batch_size"}, {"delta", 2.0}}));
  const auto own = losses::function([](const Tensor& y, const Tensor& p) { return (y - p).abs().sum(-1); }, "own");
  EXPECT_EQ(metrics::from_loss(own).get()->name(), "own");
}

TEST(LossMetric, RecordsNoGradient) {
  const auto metric = metrics::MeanAbsoluteError().get();
  const Tensor p = at::ones({2, 1}).requires_grad_();
  metric->update(at::zeros({2, 1}), p, {});
  EXPECT_DOUBLE_EQ(metric->result(), 1);
}

TEST(LossMetric, ReplicasMergeToWhatOneWouldHave) {
  const Tensor y = at::tensor({0, 1, 2, 1, 0}), p = at::rand({5, 3}) + 0.1, weight = at::rand({5});
  const auto whole = metrics::SparseCategoricalCrossentropy({.ignore_class = 1}).get();
  const auto first = whole->replicate(), second = whole->replicate();
  whole->update(y, p, weight);
  first->update(y.slice(0, 0, 2), p.slice(0, 0, 2), weight.slice(0, 0, 2));
  second->update(y.slice(0, 2), p.slice(0, 2), weight.slice(0, 2));
  first->merge(*second);
  EXPECT_NEAR(first->result(), whole->result(), 1e-6);
}

}  // namespace
}  // namespace tandem
