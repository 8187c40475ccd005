#pragma once
#include "tandem/metrics/metric.h"
#include "tandem/metrics/metric_options.h"

namespace tandem::metrics {

/// How often the largest prediction is where the largest target is, as keras.metrics.CategoricalAccuracy. Targets and
/// predictions (probabilities or logits) have one shape, (rows, ..., classes). Of equal values the first counts.
struct CategoricalAccuracy : Handle<Metric> {
  explicit CategoricalAccuracy(MetricOptions options = {});
};

}  // namespace tandem::metrics
