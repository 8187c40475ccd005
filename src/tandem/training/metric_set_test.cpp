#include "tandem/training/metric_set.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/metrics/categorical_accuracy.h"
#include "tandem/metrics/regression_metrics.h"

namespace tandem {
namespace {

data::Batch rows_of(const Tensor& y, const Tensor& weights = {}) { return {at::zeros({y.size(0), 1}), y, weights}; }
Tensor column_of(std::vector<float> values) { return at::tensor(values).view({-1, 1}); }
Logs results_of(const MetricSet& set) {
  Logs logs;
  set.results(logs);
  return logs;
}

TEST(MetricSet, StatesAreSharedOverReplicasNeverResults) {
  MetricSet set({{{"mse"}}}, {""}, 3);
  EXPECT_TRUE(results_of(set).empty());  // nothing seen
  set.update(0, rows_of(column_of({1, 1, 1})), column_of({0, 0, 0}));
  set.update(2, rows_of(column_of({3})), column_of({0}));
  EXPECT_DOUBLE_EQ(results_of(set)["mse"], (1 + 1 + 1 + 9) / 4.0);  // not the mean of 1 and 9
  EXPECT_DOUBLE_EQ(results_of(set)["mse"], 3) << "reading changes nothing";
  set.reset();
  set.update(1, rows_of(column_of({2})), column_of({0}));
  EXPECT_DOUBLE_EQ(results_of(set)["mse"], 4);
}

TEST(MetricSet, AccuracyBecomesTheKindThatFits) {
  MetricSet set({{{"accuracy"}}, {{"accuracy"}}}, {"kind_", "flag_"}, 1);
  const Tensor one_hot = at::eye(3),
               probabilities = at::tensor({0.1F, 0.9F, 0.0F, 0.0F, 1.0F, 0.0F, 0.0F, 0.0F, 1.0F}).view({3, 3});
  set.update(0, {one_hot, {one_hot, column_of({1, 0, 1})}, {}}, {probabilities, column_of({0.7F, 0.8F, 0.9F})});
  EXPECT_DOUBLE_EQ(results_of(set)["kind_accuracy"], 2 / 3.0);
  EXPECT_DOUBLE_EQ(results_of(set)["flag_accuracy"], 2 / 3.0);
}

TEST(MetricSet, OnlyWeightedMetricsTakeWeights) {
  MetricSet set({{{"mse"}, {"mse", true}}}, {""}, 1);
  set.update(0, rows_of(column_of({1, 2}), at::tensor({3.0F, 1.0F})), column_of({0, 0}));
  EXPECT_DOUBLE_EQ(results_of(set)["mse"], 2.5);
  EXPECT_DOUBLE_EQ(results_of(set)["weighted_mse"], (3 * 1 + 1 * 4) / 4.0);
}

TEST(MetricSet, CrossentropiesGoBackToTheLogits) {
  MetricSet set({{{"binary_crossentropy"}, {"binary_accuracy"}}}, {""}, 1);
  const Tensor logits = column_of({40, -40}), y = column_of({0, 0});
  set.update(0, rows_of(y), logits.sigmoid(), logits);
  EXPECT_NEAR(results_of(set)["binary_crossentropy"], 20, 1e-4);  // (40 + 0) / 2; of probabilities it would be clipped
  EXPECT_DOUBLE_EQ(results_of(set)["binary_accuracy"], 0.5);
  set.reset();
  set.update(0, rows_of(y), logits.sigmoid());
  EXPECT_LT(results_of(set)["binary_crossentropy"], 10);  // nobody knows the logits: clipped at 1e-7
}

TEST(MetricSet, EqualNamesAreToldApartAsInKeras) {
  const auto metric = [] { return metrics::MeanSquaredError(); };
  MetricSet set({{{metric()}, {metric()}, {metric(), true}, {metric(), true}}}, {""}, 1);
  set.update(0, rows_of(column_of({1})), column_of({0}));
  std::vector<std::string> names;
  for (const auto& [name, value] : results_of(set)) names.push_back(name);
  const std::string base = metric().get()->name();
  EXPECT_EQ(names, (std::vector<std::string>{base, base + "_1", "weighted_" + base, "weighted_" + base + "_1"}));
}

}  // namespace
}  // namespace tandem
