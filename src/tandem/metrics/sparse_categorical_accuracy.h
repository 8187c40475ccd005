#pragma once
#include "tandem/metrics/metric.h"
#include "tandem/metrics/metric_options.h"

namespace tandem::metrics {

/// How often the largest prediction is at the target's class id, as keras.metrics.SparseCategoricalAccuracy. Targets of
/// any type, (rows, ...) or (rows, ..., 1), predictions (rows, ..., classes). Of equal values the first counts.
struct SparseCategoricalAccuracy : Handle<Metric> {
  explicit SparseCategoricalAccuracy(MetricOptions options = {});
};

}  // namespace tandem::metrics
