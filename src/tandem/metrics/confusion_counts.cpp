#include "tandem/metrics/confusion_counts.h"

#include "tandem/metrics/threshold_metric.h"
#include "tandem/metrics/threshold_setting.h"

namespace tandem::metrics {
namespace {

/// One count, by threshold.
class CountMetric final : public ThresholdMetric {
 public:
  using Kind = Tensor ThresholdCounts::*;

  CountMetric(const std::string& class_name, Kind kind, ConfusionCountOptions options)
      : ThresholdMetric({.class_name = class_name,
                         .name = options.name,
                         .thresholds = thresholds_or(options.thresholds, 0.5, class_name),
                         .counted = {kind},
                         .direction = Direction::kNone}),
        kind_(kind),
        options_(std::move(options)) {}

  Tensor results() const override { return by_threshold(state(0)); }
  std::shared_ptr<Metric> replicate() const override {
    return std::make_shared<CountMetric>(class_name(), kind_, ConfusionCountOptions{options_.thresholds, name()});
  }
  Config get_config() const override {
    return ThresholdMetric::get_config().set("thresholds", thresholds_config(options_.thresholds));
  }

 private:
  Kind kind_;
  ConfusionCountOptions options_;
};

std::shared_ptr<Metric> make_count(const char* class_name, const char* name, CountMetric::Kind kind,
                                   ConfusionCountOptions options) {
  if (options.name.empty()) options.name = name;
  return std::make_shared<CountMetric>(class_name, kind, std::move(options));
}

}  // namespace

TruePositives::TruePositives(ConfusionCountOptions options)
    : Handle(make_count("TruePositives", "true_positives", &ThresholdCounts::true_positives, std::move(options))) {}
TrueNegatives::TrueNegatives(ConfusionCountOptions options)
    : Handle(make_count("TrueNegatives", "true_negatives", &ThresholdCounts::true_negatives, std::move(options))) {}
FalsePositives::FalsePositives(ConfusionCountOptions options)
    : Handle(make_count("FalsePositives", "false_positives", &ThresholdCounts::false_positives, std::move(options))) {}
FalseNegatives::FalseNegatives(ConfusionCountOptions options)
    : Handle(make_count("FalseNegatives", "false_negatives", &ThresholdCounts::false_negatives, std::move(options))) {}

}  // namespace tandem::metrics
