#include "tandem/metrics/accuracy.h"

#include <ATen/ATen.h>

#include "tandem/losses/targets.h"
#include "tandem/metrics/mean_metric.h"

namespace tandem::metrics {
namespace {

Tensor equal_matches(const Tensor& y_true, const Tensor& y_pred) {
  const auto [truth, prediction] = matching_targets(y_true, y_pred, "metric Accuracy");
  return prediction.eq(truth);
}

}  // namespace

Accuracy::Accuracy(MetricOptions options)
    : Handle(std::make_shared<MeanMetric>("Accuracy", options.name.empty() ? "accuracy" : options.name, equal_matches,
                                          Metric::Direction::kUp)) {}

}  // namespace tandem::metrics
