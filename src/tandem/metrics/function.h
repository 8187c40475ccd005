#pragma once
#include <string>

#include "tandem/metrics/mean_metric.h"

namespace tandem::metrics {

/// A metric from a function of the user's: the mean of what it returns, (rows, ...) or one number for all rows, under
/// `name`. Replicas call it from their threads at the same time: it must not change what it captures. It runs without
/// gradients.
Handle<Metric> function(std::string name, MetricFunction function);

}  // namespace tandem::metrics
