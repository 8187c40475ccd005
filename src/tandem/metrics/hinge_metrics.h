#pragma once
#include "tandem/metrics/metric.h"
#include "tandem/metrics/metric_options.h"

namespace tandem::metrics {

/// Means over all rows of the losses of the same names; shapes, errors and formulas are theirs (losses/). As
/// keras.metrics.
struct Hinge : Handle<Metric> {
  explicit Hinge(MetricOptions options = {});
};
struct SquaredHinge : Handle<Metric> {
  explicit SquaredHinge(MetricOptions options = {});
};
struct CategoricalHinge : Handle<Metric> {
  explicit CategoricalHinge(MetricOptions options = {});
};

}  // namespace tandem::metrics
