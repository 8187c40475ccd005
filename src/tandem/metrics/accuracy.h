#pragma once
#include "tandem/metrics/metric.h"
#include "tandem/metrics/metric_options.h"

namespace tandem::metrics {

/// How often predictions equal targets, as keras.metrics.Accuracy: predictions are class ids themselves. Both (rows,
/// ...) of one shape up to a last axis of 1. The "accuracy" of compile is another: the one that fits the shapes.
struct Accuracy : Handle<Metric> {
  explicit Accuracy(MetricOptions options = {});
};

}  // namespace tandem::metrics
