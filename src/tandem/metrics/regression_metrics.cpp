#include "tandem/metrics/regression_metrics.h"

#include <ATen/ATen.h>

#include "tandem/losses/cosine_similarity.h"
#include "tandem/losses/log_cosh.h"
#include "tandem/losses/mean_absolute_error.h"
#include "tandem/losses/mean_absolute_percentage_error.h"
#include "tandem/losses/mean_squared_error.h"
#include "tandem/losses/mean_squared_logarithmic_error.h"
#include "tandem/metrics/loss_metric.h"

namespace tandem::metrics {
namespace {

std::shared_ptr<Metric> make_cosine_similarity(const CosineSimilarityOptions& options) {
  Config settings = Config::object();
  if (options.axis != -1) settings.set("axis", options.axis);
  const auto loss = losses::CosineSimilarity({.axis = options.axis}).get();
  return std::make_shared<MeanMetric>(
      "CosineSimilarity", options.name.empty() ? "cosine_similarity" : options.name,
      [loss](const Tensor& y_true, const Tensor& y_pred) { return loss->call(y_true, y_pred).neg(); },
      Metric::Direction::kUp, std::move(settings));
}

}  // namespace

MeanSquaredError::MeanSquaredError(MetricOptions options)
    : Handle(make_loss_metric("MeanSquaredError", options.name, "mean_squared_error", losses::MeanSquaredError())) {}

MeanAbsoluteError::MeanAbsoluteError(MetricOptions options)
    : Handle(make_loss_metric("MeanAbsoluteError", options.name, "mean_absolute_error", losses::MeanAbsoluteError())) {}

MeanAbsolutePercentageError::MeanAbsolutePercentageError(MetricOptions options)
    : Handle(make_loss_metric("MeanAbsolutePercentageError", options.name, "mean_absolute_percentage_error",
                              losses::MeanAbsolutePercentageError())) {}

MeanSquaredLogarithmicError::MeanSquaredLogarithmicError(MetricOptions options)
    : Handle(make_loss_metric("MeanSquaredLogarithmicError", options.name, "mean_squared_logarithmic_error",
                              losses::MeanSquaredLogarithmicError())) {}

LogCoshError::LogCoshError(MetricOptions options)
    : Handle(make_loss_metric("LogCoshError", options.name, "logcosh", losses::LogCosh())) {}

CosineSimilarity::CosineSimilarity(CosineSimilarityOptions options) : Handle(make_cosine_similarity(options)) {}

}  // namespace tandem::metrics
