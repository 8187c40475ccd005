#include "tandem/metrics/auc.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/metrics/curve_area.h"
#include "tandem/metrics/threshold_metric.h"

namespace tandem::metrics {
namespace {

constexpr const char* kAuc = "AUC";

void check_one_of(const std::string& setting, const std::string& value, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), value) == known.end()) throw_unknown_name("AUC " + setting, value, known);
}

Thresholds auc_thresholds(const AUCOptions& options) {
  if (!options.thresholds.empty()) {
    for (const double t : options.thresholds) {
      if (!(t >= 0 && t <= 1))  // written so that NaN fails too
        throw InvalidArgument(c10::str(kAuc, ": thresholds must lie in [0, 1], got ", t));
    }
    return Thresholds::between_open_ends(options.thresholds);
  }
  if (options.num_thresholds < 2)
    throw InvalidArgument(c10::str(kAuc, ": num_thresholds must be at least 2, got ", options.num_thresholds));
  return Thresholds::even(options.num_thresholds, true);
}

AUCOptions checked(AUCOptions options) {
  if (options.name.empty()) options.name = "auc";
  check_one_of("curve", options.curve, {"ROC", "PR", "PRGAIN"});
  check_one_of("summation_method", options.summation_method, {"interpolation", "minoring", "majoring"});
  if (options.num_labels && !options.multi_label)
    throw InvalidArgument(c10::str(kAuc, ": num_labels is for multi_label, got ", *options.num_labels));
  if (options.num_labels && *options.num_labels < 1)
    throw InvalidArgument(c10::str(kAuc, ": num_labels must be at least 1, got ", *options.num_labels));
  for (const double weight : options.label_weights) {
    if (!(weight >= 0)) throw InvalidArgument(c10::str(kAuc, ": label_weights must be at least 0, got ", weight));
  }
  return options;
}

Tensor label_factors(const AUCOptions& options) {
  return options.label_weights.empty() ? Tensor() : at::tensor(options.label_weights, at::kDouble);
}

class AreaMetric final : public ThresholdMetric {
 public:
  explicit AreaMetric(AUCOptions options)
      : ThresholdMetric({.class_name = kAuc,
                         .name = options.name,
                         .thresholds = auc_thresholds(options),
                         .counted = {&ThresholdCounts::true_positives, &ThresholdCounts::false_positives,
                                     &ThresholdCounts::true_negatives, &ThresholdCounts::false_negatives},
                         .by_label = options.multi_label,
                         .label_weights = options.multi_label ? Tensor() : label_factors(options)}),
        options_(std::move(options)) {
    if (!options_.num_labels) return;
    for (Tensor& state : states()) state.resize_({thresholds(), *options_.num_labels}).zero_();
  }

  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    ThresholdMetric::update(y_true, options_.from_logits ? y_pred.detach().sigmoid() : y_pred, sample_weight);
  }

  double result() const override { return results().item<double>(); }
  Tensor results() const override {
    if (state(0).numel() == 0) return at::zeros({}, at::kDouble);
    const Tensor areas =
        curve_area({state(0), state(1), state(2), state(3)}, options_.curve, options_.summation_method);
    const Tensor weights = label_factors(options_);
    if (!options_.multi_label || !weights.defined()) return areas.mean();
    if (weights.size(0) != areas.size(0)) {
      throw InvalidArgument(
          c10::str(kAuc, ": label_weights must be one for each of ", areas.size(0), " labels, got ", weights.size(0)));
    }
    return quotient((areas * weights).sum(), weights.sum());
  }

  std::shared_ptr<Metric> replicate() const override {
    AUCOptions options = options_;
    options.name = name();
    return std::make_shared<AreaMetric>(std::move(options));
  }

  Config get_config() const override {
    const auto list = [](const std::vector<double>& values) {
      return Config(Config::List(values.begin(), values.end()));
    };
    Config config = ThresholdMetric::get_config();
    config.set("num_thresholds", thresholds())
        .set("curve", options_.curve)
        .set("summation_method", options_.summation_method)
        .set("multi_label", options_.multi_label)
        .set("num_labels", options_.num_labels ? Config(*options_.num_labels) : Config())
        .set("label_weights", options_.label_weights.empty() ? Config() : list(options_.label_weights))
        .set("from_logits", options_.from_logits);
    if (options_.thresholds.empty()) return config;
    auto inner = options_.thresholds;
    std::sort(inner.begin(), inner.end());
    return config.set("thresholds", list(inner));
  }

 private:
  AUCOptions options_;
};

}  // namespace

AUC::AUC(AUCOptions options) : Handle(std::make_shared<AreaMetric>(checked(std::move(options)))) {}

}  // namespace tandem::metrics
