#include "tandem/metrics/precision.h"

#include <type_traits>

#include "tandem/metrics/threshold_metric.h"
#include "tandem/metrics/threshold_setting.h"

namespace tandem::metrics {
namespace {

constexpr double kBelowAll = -1e10;  // Keras's: with top_k every one of the k is positive

/// True positives among them and what else is counted: false positives or false negatives.
template <class Options>
class ShareMetric final : public ThresholdMetric {
 public:
  static constexpr bool kPrecision = std::is_same_v<Options, PrecisionOptions>;

  explicit ShareMetric(const Options& options)
      : ThresholdMetric({.class_name = kPrecision ? "Precision" : "Recall",
                         .name = !options.name.empty() ? options.name
                                 : kPrecision          ? "precision"
                                                       : "recall",
                         .thresholds = thresholds_or(options.thresholds, options.top_k ? kBelowAll : 0.5,
                                                     kPrecision ? "Precision" : "Recall"),
                         .counted = {&ThresholdCounts::true_positives, kPrecision ? &ThresholdCounts::false_positives
                                                                                  : &ThresholdCounts::false_negatives},
                         .top_k = options.top_k,
                         .class_id = options.class_id}),
        options_(options) {}

  Tensor results() const override { return by_threshold(share_of(state(0), state(1))); }
  std::shared_ptr<Metric> replicate() const override {
    Options options = options_;
    options.name = name();
    return std::make_shared<ShareMetric>(options);
  }
  Config get_config() const override {
    const auto or_null = [](const std::optional<int64_t>& value) { return value ? Config(*value) : Config(); };
    Config config = ThresholdMetric::get_config();
    return config.set("thresholds", thresholds_config(options_.thresholds))
        .set("top_k", or_null(options_.top_k))
        .set("class_id", or_null(options_.class_id));
  }

 private:
  Options options_;
};

}  // namespace

Precision::Precision(PrecisionOptions options)
    : Handle(std::make_shared<ShareMetric<PrecisionOptions>>(std::move(options))) {}

Recall::Recall(RecallOptions options) : Handle(std::make_shared<ShareMetric<RecallOptions>>(std::move(options))) {}

}  // namespace tandem::metrics
