#pragma once
#include "tandem/metrics/metric.h"
#include "tandem/metrics/metric_options.h"

namespace tandem::metrics {

/// The mean of the values that update is given as y_pred, (rows, ...), as keras.metrics.Mean; y_true is not looked at
/// and may be undefined.
struct Mean : Handle<Metric> {
  explicit Mean(MetricOptions options = {});
};

}  // namespace tandem::metrics
