#pragma once
#include "tandem/metrics/metric.h"
#include "tandem/metrics/metric_options.h"

namespace tandem::metrics {

/// Mean of (y_true - y_pred)^2 over all values, as keras.metrics.MeanSquaredError. Targets and predictions (rows, ...)
/// of one shape up to a last axis of 1.
struct MeanSquaredError : Handle<Metric> {
  explicit MeanSquaredError(MetricOptions options = {});
};

}  // namespace tandem::metrics
