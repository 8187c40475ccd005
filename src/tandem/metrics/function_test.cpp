#include "tandem/metrics/function.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(MetricFunction, AveragesWhatTheUsersFunctionReturns) {
  const Handle<Metric> confidence =
      metrics::function("confidence", [](const Tensor&, const Tensor& p) { return std::get<0>(p.softmax(1).max(1)); });
  const auto metric = confidence.get();
  metric->update(at::zeros({4}), at::zeros({4, 5}), {});
  EXPECT_NEAR(metric->result(), 0.2, 1e-7);
  EXPECT_EQ(metric->name(), "confidence");
  EXPECT_EQ(metric->replicate()->name(), "confidence");
}

TEST(MetricFunction, OneNumberCountsForAllRows) {
  const auto metric = metrics::function("rows", [](const Tensor& y, const Tensor&) { return y.sum(); }).get();
  metric->update(at::ones({3}), at::zeros({3, 2}), {});
  metric->update(at::ones({1}), at::zeros({1, 2}), {});
  EXPECT_DOUBLE_EQ(metric->result(), (3.0 * 3 + 1.0 * 1) / 4);
}

TEST(MetricFunction, NamesAResultThatDoesNotFitTheRows) {
  const auto metric = metrics::function("odd", [](const Tensor&, const Tensor&) { return at::zeros({3}); }).get();
  try {
    metric->update(at::zeros({4}), at::zeros({4, 2}), {});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "metric odd: must have one value for each of the 4 rows, got shape (3,)");
  }
  EXPECT_THROW(metrics::function("none", nullptr), InvalidArgument);
  EXPECT_THROW(metrics::function("", [](const Tensor&, const Tensor& p) { return p; }), InvalidArgument);
}

}  // namespace
}  // namespace tandem
