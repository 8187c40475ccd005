#include "tandem/metrics/function.h"

#include <c10/util/StringUtil.h>

namespace tandem::metrics {

Handle<Metric> function(std::string name, MetricFunction function) {
  if (!function)
    throw InvalidArgument(c10::str("metrics::function '", name, "': a function must be given, got an empty one"));
  if (name.empty())
    throw InvalidArgument("metrics::function: a name must be given, it is the key in the history; got ''");
  return std::make_shared<MeanMetric>("MeanMetricWrapper", std::move(name), std::move(function));
}

}  // namespace tandem::metrics
