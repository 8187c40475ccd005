#include "tandem/metrics/sparse_categorical_accuracy.h"

#include <ATen/ATen.h>

#include "tandem/losses/targets.h"
#include "tandem/metrics/mean_metric.h"

namespace tandem::metrics {
namespace {

Tensor sparse_categorical_matches(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor ids = class_ids(y_true, y_pred, "metric SparseCategoricalAccuracy");
  return y_pred.argmax(-1).eq(ids);
}

}  // namespace

SparseCategoricalAccuracy::SparseCategoricalAccuracy(MetricOptions options)
    : Handle(std::make_shared<MeanMetric>("SparseCategoricalAccuracy",
                                          options.name.empty() ? "sparse_categorical_accuracy" : options.name,
                                          sparse_categorical_matches, Metric::Direction::kUp)) {}

}  // namespace tandem::metrics
