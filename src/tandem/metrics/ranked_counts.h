#pragma once
#include <string>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/metrics/roc_curve.h"

namespace tandem::metrics {

/// What lies at or above each distinct score, in falling order, weighted.
struct RankedCounts {
  std::vector<double> thresholds = {}, true_positives = {}, false_positives = {};

  double positives() const { return true_positives.empty() ? 0 : true_positives.back(); }
  double negatives() const { return false_positives.empty() ? 0 : false_positives.back(); }
};

/// `truth` (true where not 0), `scores` and, unless undefined, `weights` of one shape.
RankedCounts rank_counts(const Tensor& truth, const Tensor& scores, const Tensor& weights);

/// Targets and scores of every row and class, as the curves take them.
struct ScoredClasses {
  Tensor truth, scores, weights;  // (rows, classes); weights may be undefined
  std::vector<std::string> names = {};
};

/// Brings what the curves are given into one form. Throws InvalidArgument in the name of `where`.
ScoredClasses scored_classes(const Tensor& y_true, const Tensor& y_pred, const CurveOptions& options,
                             const std::string& where);

/// What one curve is made from.
struct LabelledCounts {
  std::string label;
  RankedCounts counts;
};

/// By class; or, where `average` is "micro" and there are several, of all of them together as "micro average".
std::vector<LabelledCounts> counts_by_curve(const ScoredClasses& scored, const std::string& average);

}  // namespace tandem::metrics
