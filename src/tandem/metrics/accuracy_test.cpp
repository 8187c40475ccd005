// What the three accuracies and the squared error do beside Keras's cases: ties, thresholds, types, bad shapes.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

#include "tandem/metrics/binary_accuracy.h"
#include "tandem/metrics/categorical_accuracy.h"
#include "tandem/metrics/regression_metrics.h"
#include "tandem/metrics/sparse_categorical_accuracy.h"

namespace tandem {
namespace {

static_assert(std::is_aggregate_v<metrics::MetricOptions> && std::is_aggregate_v<metrics::BinaryAccuracyOptions>);

double result_of(const Handle<Metric>& handle, const Tensor& y_true, const Tensor& y_pred) {
  const auto metric = handle.get()->replicate();
  metric->update(y_true, y_pred, {});
  return metric->result();
}

std::string message_of(const Handle<Metric>& metric, const Tensor& y_true, const Tensor& y_pred) {
  try {
    result_of(metric, y_true, y_pred);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(BinaryAccuracy, CutsAtTheThreshold) {
  const Tensor p = at::tensor({0.5f, 0.51f, 0.2f, 0.9f}), y = at::tensor({0, 1, 1, 1});
  EXPECT_EQ(result_of(metrics::BinaryAccuracy(), y, p), 0.75);
  EXPECT_EQ(result_of(metrics::BinaryAccuracy(), y, p.unsqueeze(-1)), 0.75);
  EXPECT_EQ(result_of(metrics::BinaryAccuracy({.threshold = 0.1}), y.to(at::kBool), p), 0.75);
  EXPECT_THROW(metrics::BinaryAccuracy({.threshold = std::numeric_limits<double>::infinity()}), InvalidArgument);
}

TEST(SparseCategoricalAccuracy, ComparesIdsOfAnyTypeWithTheLargestPrediction) {
  const Tensor p = at::tensor({0.1f, 0.9f, 0.5f, 0.5f, 0.8f, 0.2f}).view({3, 2}), y = at::tensor({1, 1, 0});
  for (const auto type : {at::kInt, at::kLong, at::kByte, at::kFloat}) {  // the tie counts as class 0
    EXPECT_DOUBLE_EQ(result_of(metrics::SparseCategoricalAccuracy(), y.to(type), p), 2.0 / 3) << type;
    EXPECT_DOUBLE_EQ(result_of(metrics::SparseCategoricalAccuracy(), y.to(type).unsqueeze(-1), p), 2.0 / 3) << type;
  }
}

TEST(MeanSquaredErrorMetric, IsTheMeanOverAllValues) {
  const Tensor y = at::tensor({1, 2, 3, 4}).view({2, 2}), p = at::tensor({1.0f, 4.0f, 0.0f, 0.0f}).view({2, 2});
  EXPECT_EQ(result_of(metrics::MeanSquaredError(), y, p), 7.25);
}

TEST(Accuracies, NameBothShapesOfTargetsThatDoNotFit) {
  EXPECT_EQ(message_of(metrics::CategoricalAccuracy(), at::zeros({5}), at::zeros({5, 3})),
            "metric CategoricalAccuracy: targets must have the shape of the predictions (5, 3), got (5,)");
  EXPECT_EQ(message_of(metrics::SparseCategoricalAccuracy(), at::zeros({5, 3}), at::zeros({5, 3})),
            "metric SparseCategoricalAccuracy: targets must be class ids of shape (5,) for predictions (5, 3), got (5, "
            "3)");
  EXPECT_NE(message_of(metrics::BinaryAccuracy(), at::zeros({4, 1}), at::zeros({5, 1})).find("(4, 1)"),
            std::string::npos);
  EXPECT_NE(message_of(metrics::MeanSquaredError(), at::zeros({5, 1}), at::zeros({5, 3})).find("(5, 1)"),
            std::string::npos);
}

TEST(Accuracies, TakeANameOrKeras) {
  EXPECT_EQ(metrics::CategoricalAccuracy().get()->name(), "categorical_accuracy");
  EXPECT_EQ(metrics::SparseCategoricalAccuracy({.name = "top"}).get()->name(), "top");
  EXPECT_EQ(metrics::BinaryAccuracy({.name = "cut", .threshold = 0.3}).get()->replicate()->name(), "cut");
}

}  // namespace
}  // namespace tandem
