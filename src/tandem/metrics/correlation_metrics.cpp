#include "tandem/metrics/correlation_metrics.h"

#include <ATen/ATen.h>

#include "tandem/losses/targets.h"
#include "tandem/metrics/mean_metric.h"

namespace tandem::metrics {
namespace {

using RowCorrelation = Tensor (*)(const Tensor& truth, const Tensor& prediction, int64_t axis);

Tensor pearson_of_rows(const Tensor& truth, const Tensor& prediction, int64_t axis) {
  const auto standardized = [axis](const Tensor& values) {
    const Tensor centred = values - values.mean(axis, true);
    return centred / centred.square().mean(axis, true).sqrt();
  };
  return (standardized(truth) * standardized(prediction)).mean(axis);
}

Tensor concordance_of_rows(const Tensor& truth, const Tensor& prediction, int64_t axis) {
  const Tensor true_mean = truth.mean(axis, true), mean = prediction.mean(axis, true);
  const Tensor spread = (truth - true_mean).square().mean(axis, true) + (prediction - mean).square().mean(axis, true) +
                        (true_mean - mean).square();
  // Both sides centred at the predictions' mean, as Keras does: the sum is that of the covariance.
  const Tensor products = (truth - mean) * (prediction - mean);
  return (products * 2 / (spread + 1e-7)).mean(axis);
}

std::shared_ptr<Metric> make_correlation(const char* class_name, const char* name, RowCorrelation correlation,
                                         const CorrelationOptions& options) {
  const int64_t axis = options.axis;
  const std::string where = std::string("metric ") + class_name;
  const auto of_rows = [axis, where, correlation](const Tensor& y_true, const Tensor& y_pred) {
    const auto [truth, prediction] = matching_targets(y_true, y_pred, where);
    check_axis(axis, prediction, where);
    return correlation(truth, prediction, axis);
  };
  return std::make_shared<MeanMetric>(class_name, options.name.empty() ? name : options.name, of_rows,
                                      Metric::Direction::kUp, Config::object({{"axis", axis}}));
}

}  // namespace

PearsonCorrelation::PearsonCorrelation(CorrelationOptions options)
    : Handle(make_correlation("PearsonCorrelation", "pearson_correlation", pearson_of_rows, options)) {}

ConcordanceCorrelation::ConcordanceCorrelation(CorrelationOptions options)
    : Handle(make_correlation("ConcordanceCorrelation", "concordance_correlation", concordance_of_rows, options)) {}

}  // namespace tandem::metrics
