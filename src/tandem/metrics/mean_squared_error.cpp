#include "tandem/metrics/mean_squared_error.h"

#include <ATen/ATen.h>

#include "tandem/metrics/fit_shapes.h"
#include "tandem/metrics/mean_metric.h"

namespace tandem::metrics {
namespace {

Tensor squared_errors(const Tensor& y_true, const Tensor& y_pred) {
  const auto [truth, prediction] = fit_shapes(y_true, y_pred, "MeanSquaredError");
  return (prediction - truth.to(prediction.scalar_type())).square_();
}

}  // namespace

MeanSquaredError::MeanSquaredError(MetricOptions options)
    : Handle(std::make_shared<MeanMetric>(
          "MeanSquaredError", options.name.empty() ? "mean_squared_error" : options.name, squared_errors)) {}

}  // namespace tandem::metrics
