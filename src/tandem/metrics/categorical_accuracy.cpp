#include "tandem/metrics/categorical_accuracy.h"

#include <ATen/ATen.h>

#include "tandem/losses/targets.h"
#include "tandem/metrics/mean_metric.h"

namespace tandem::metrics {
namespace {

Tensor categorical_matches(const Tensor& y_true, const Tensor& y_pred) {
  const auto [truth, prediction] = matching_targets(y_true, y_pred, "metric CategoricalAccuracy");
  return truth.argmax(-1).eq(prediction.argmax(-1));
}

}  // namespace

CategoricalAccuracy::CategoricalAccuracy(MetricOptions options)
    : Handle(std::make_shared<MeanMetric>("CategoricalAccuracy",
                                          options.name.empty() ? "categorical_accuracy" : options.name,
                                          categorical_matches, Metric::Direction::kUp)) {}

}  // namespace tandem::metrics
