#include "tandem/metrics/root_mean_squared_error.h"

#include <ATen/ATen.h>

#include <cmath>

#include "tandem/losses/targets.h"
#include "tandem/metrics/mean_metric.h"

namespace tandem::metrics {
namespace {

Tensor squared_differences(const Tensor& y_true, const Tensor& y_pred) {
  const auto [truth, prediction] = matching_targets(y_true, y_pred, "metric RootMeanSquaredError");
  return (prediction - truth).square();
}

class RootMean final : public MeanMetric {
 public:
  explicit RootMean(std::string name)
      : MeanMetric("RootMeanSquaredError", std::move(name), squared_differences, Direction::kDown) {}
  double result() const override { return std::sqrt(MeanMetric::result()); }
  std::shared_ptr<Metric> replicate() const override { return std::make_shared<RootMean>(name()); }
};

}  // namespace

RootMeanSquaredError::RootMeanSquaredError(MetricOptions options)
    : Handle(std::make_shared<RootMean>(options.name.empty() ? "root_mean_squared_error" : options.name)) {}

}  // namespace tandem::metrics
