#pragma once
#include "tandem/metrics/metric.h"
#include "tandem/metrics/metric_options.h"

namespace tandem::metrics {

/// The root of the mean of (y_true - y_pred)^2 over all values, as keras.metrics.RootMeanSquaredError: of the mean over
/// all rows so far, not a mean of roots. Targets and predictions (rows, ...) of one shape up to a last axis of 1.
struct RootMeanSquaredError : Handle<Metric> {
  explicit RootMeanSquaredError(MetricOptions options = {});
};

}  // namespace tandem::metrics
