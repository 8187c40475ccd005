#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tandem/metrics/metric.h"
#include "tandem/metrics/threshold_counts.h"

namespace tandem {

/// What a metric that cuts predictions at thresholds counts, and where it looks.
struct ThresholdSettings {
  std::string class_name, name;
  Thresholds thresholds;
  /// The states, in Keras's order.
  std::vector<Tensor ThresholdCounts::*> counted;
  /// Only the k largest predictions of the last axis can be positive.
  std::optional<int64_t> top_k = {};
  /// Only this class of the last axis is looked at.
  std::optional<int64_t> class_id = {};
  /// Each label, of predictions (rows, labels), has counts of its own.
  bool by_label = false;
  /// Factors by label where they are not counted apart, (labels); undefined: 1 each.
  Tensor label_weights = {};
  /// Which way is better.
  Metric::Direction direction = Metric::Direction::kUp;
};

/// Base of the metrics that count positives and negatives above and below thresholds, as Keras's
/// update_confusion_matrix_variables. Targets (true where not 0) and predictions have one shape up to a last axis of 1;
/// a weight a row counts for all of the row's values.
class ThresholdMetric : public Metric {
 public:
  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override;
  double result() const override;
  std::vector<Tensor> states() const override { return states_; }

  Direction direction() const final { return settings_.direction; }
  std::string class_name() const final { return settings_.class_name; }
  /// Name and type, which a metric's own settings follow.
  Config get_config() const override;

 protected:
  /// Throws InvalidArgument on a top_k or class_id out of range.
  explicit ThresholdMetric(ThresholdSettings settings);

  const Tensor& state(std::size_t i) const { return states_[i]; }
  int64_t thresholds() const { return settings_.thresholds.count(); }
  /// A figure by threshold, without its axis where there is one threshold alone.
  Tensor by_threshold(const Tensor& figures) const;

 private:
  ThresholdSettings settings_;
  std::vector<Tensor> states_;
};

/// part / whole, 0 where whole is 0.
Tensor quotient(const Tensor& part, const Tensor& whole);
/// part / (part + rest), 0 where both are 0.
Tensor share_of(const Tensor& part, const Tensor& rest);

}  // namespace tandem
