#include "tandem/metrics/binary_accuracy.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <cmath>

#include "tandem/losses/targets.h"
#include "tandem/metrics/mean_metric.h"

namespace tandem::metrics {
namespace {

std::shared_ptr<Metric> make_binary_accuracy(const BinaryAccuracyOptions& options) {
  const double threshold = options.threshold;
  if (!std::isfinite(threshold)) {
    throw InvalidArgument(c10::str("BinaryAccuracy: threshold must be a finite number, got ", threshold));
  }
  const std::string name = options.name.empty() ? "binary_accuracy" : options.name;
  const auto matches = [threshold](const Tensor& y_true, const Tensor& y_pred) {
    const auto [truth, prediction] = matching_targets(y_true, y_pred, "metric BinaryAccuracy");
    return prediction.gt(threshold).eq(truth);
  };
  return std::make_shared<MeanMetric>("BinaryAccuracy", name, matches, Metric::Direction::kUp,
                                      Config::object({{"threshold", threshold}}));
}

}  // namespace

BinaryAccuracy::BinaryAccuracy(BinaryAccuracyOptions options) : Handle(make_binary_accuracy(options)) {}

}  // namespace tandem::metrics
