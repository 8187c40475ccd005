#include "tandem/metrics/mean.h"

#include "tandem/metrics/mean_metric.h"

namespace tandem::metrics {

Mean::Mean(MetricOptions options)
    : Handle(std::make_shared<MeanMetric>("Mean", options.name.empty() ? "mean" : options.name,
                                          [](const Tensor& /*y_true*/, const Tensor& values) { return values; })) {}

}  // namespace tandem::metrics
