#pragma once
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem {

/// What lies above and below each threshold: float64 on the CPU, (thresholds), or (thresholds, labels).
struct ThresholdCounts {
  Tensor true_positives, false_positives, true_negatives, false_negatives;
};

/// The thresholds of a metric, as Keras compares them: in float32, a prediction equal to one is not above it. Evenly
/// spread ones from 0 to 1 are found by one multiplication, in which rounding differs from a comparison.
class Thresholds {
 public:
  /// `values` in any order. They count as evenly spread where Keras takes them for that.
  explicit Thresholds(std::vector<double> values);
  /// `count` >= 2 evenly spread ones. `open`: the first lies just below 0 and the last just above 1, so that every
  /// prediction is above the first and none above the last.
  static Thresholds even(int64_t count, bool open);
  /// Those between the ends just below 0 and just above 1, in ascending order.
  static Thresholds between_open_ends(std::vector<double> inner);

  int64_t count() const { return static_cast<int64_t>(values_.size()); }

  /// Targets (true where not 0) and predictions of one shape; `weights`, of that shape too, may be undefined. With
  /// `by_label` both are (rows, labels) and each label is counted apart.
  ThresholdCounts count(const Tensor& truth, const Tensor& prediction, const Tensor& weights, bool by_label) const;

 private:
  Thresholds(std::vector<double> values, bool even, bool open);
  /// How many thresholds each prediction is above, int64.
  Tensor passed(const Tensor& prediction) const;

  std::vector<double> values_;
  std::vector<int64_t> order_;  // where the ascending thresholds stand in values_; empty when they ascend
  Tensor ascending_;            // float32
  bool even_ = false, open_ = false;
};

}  // namespace tandem
