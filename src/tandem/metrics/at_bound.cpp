#include "tandem/metrics/at_bound.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/metrics/threshold_metric.h"

namespace tandem::metrics {
namespace {

using Share = Tensor (*)(const ThresholdCounts& counts);

Tensor sensitivity_of(const ThresholdCounts& counts) { return share_of(counts.true_positives, counts.false_negatives); }
Tensor specificity_of(const ThresholdCounts& counts) { return share_of(counts.true_negatives, counts.false_positives); }
Tensor precision_of(const ThresholdCounts& counts) { return share_of(counts.true_positives, counts.false_positives); }

/// What one of the four looks for.
struct Bound {
  const char* class_name;
  const char* name;     // Keras's default
  const char* setting;  // the bounded share
  Share bounded, shown;
};

constexpr Bound kSensitivity = {"SensitivityAtSpecificity", "sensitivity_at_specificity", "specificity", specificity_of,
                                sensitivity_of};
constexpr Bound kSpecificity = {"SpecificityAtSensitivity", "specificity_at_sensitivity", "sensitivity", sensitivity_of,
                                specificity_of};
constexpr Bound kPrecision = {"PrecisionAtRecall", "precision_at_recall", "recall", sensitivity_of, precision_of};
constexpr Bound kRecall = {"RecallAtPrecision", "recall_at_precision", "precision", precision_of, sensitivity_of};

Thresholds tried_thresholds(const Bound& bound, int64_t count) {
  if (count < 1) throw InvalidArgument(c10::str(bound.class_name, ": num_thresholds must be at least 1, got ", count));
  return count == 1 ? Thresholds({0.5}) : Thresholds::even(count, false);
}

class BoundMetric final : public ThresholdMetric {
 public:
  BoundMetric(const Bound& bound, double value, AtBoundOptions options)
      : ThresholdMetric({.class_name = bound.class_name,
                         .name = options.name.empty() ? bound.name : options.name,
                         .thresholds = tried_thresholds(bound, options.num_thresholds),
                         .counted = {&ThresholdCounts::true_positives, &ThresholdCounts::false_positives,
                                     &ThresholdCounts::true_negatives, &ThresholdCounts::false_negatives},
                         .class_id = options.class_id}),
        bound_(bound),
        value_(value),
        options_(std::move(options)) {
    if (!(value >= 0 && value <= 1))  // written so that NaN fails too
      throw InvalidArgument(c10::str(bound.class_name, ": ", bound.setting, " must lie in [0, 1], got ", value));
  }

  double result() const override { return results().item<double>(); }
  Tensor results() const override {
    const ThresholdCounts counts{state(0), state(1), state(2), state(3)};
    // Keras's shares are float32, and so they meet a bound that they would miss by the last bits of a double.
    const Tensor bounded = bound_.bounded(counts).to(at::kFloat);
    const Tensor reached = bounded.ge(static_cast<double>(static_cast<float>(value_)));
    return bound_.shown(counts).masked_fill(reached.logical_not(), 0).max();
  }

  std::shared_ptr<Metric> replicate() const override {
    AtBoundOptions options = options_;
    options.name = name();
    return std::make_shared<BoundMetric>(bound_, value_, std::move(options));
  }
  Config get_config() const override {
    Config config = ThresholdMetric::get_config();
    return config.set("class_id", options_.class_id ? Config(*options_.class_id) : Config())
        .set("num_thresholds", options_.num_thresholds)
        .set(bound_.setting, value_);
  }

 private:
  const Bound& bound_;
  double value_;
  AtBoundOptions options_;
};

}  // namespace

SensitivityAtSpecificity::SensitivityAtSpecificity(double specificity, AtBoundOptions options)
    : Handle(std::make_shared<BoundMetric>(kSensitivity, specificity, std::move(options))) {}
SpecificityAtSensitivity::SpecificityAtSensitivity(double sensitivity, AtBoundOptions options)
    : Handle(std::make_shared<BoundMetric>(kSpecificity, sensitivity, std::move(options))) {}
PrecisionAtRecall::PrecisionAtRecall(double recall, AtBoundOptions options)
    : Handle(std::make_shared<BoundMetric>(kPrecision, recall, std::move(options))) {}
RecallAtPrecision::RecallAtPrecision(double precision, AtBoundOptions options)
    : Handle(std::make_shared<BoundMetric>(kRecall, precision, std::move(options))) {}

}  // namespace tandem::metrics
