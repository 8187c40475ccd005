#pragma once
#include "tandem/metrics/metric.h"
#include "tandem/metrics/metric_options.h"

namespace tandem::metrics {

/// The sum of the values that update is given as y_pred, (rows, ...), each times its weight, as keras.metrics.Sum;
/// y_true is not looked at and may be undefined.
struct Sum : Handle<Metric> {
  explicit Sum(MetricOptions options = {});
};

}  // namespace tandem::metrics
