#pragma once
#include <string>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/metrics/roc_curve.h"

namespace tandem::metrics {

/// Precision over recall at rising thresholds, and the average precision.
struct PrecisionRecallCurve {
  std::string label = {};
  /// At and above each threshold; the last point is (1, 0) without a threshold.
  std::vector<double> precision = {}, recall = {};
  std::vector<double> thresholds = {};
  /// Precisions weighted by the recall that each threshold adds: no interpolation, which would flatter.
  double average_precision = 0;
  /// Of an average over classes: the curves of those that occur.
  std::vector<PrecisionRecallCurve> by_class = {};
};

/// The exact curve of predictions of all rows at once, as scikit-learn's precision_recall_curve and
/// average_precision_score; arguments as roc_curve. The macro average has no curve of its own: its average precision is
/// the mean over the classes that occur, and by_class their curves. Throws InvalidArgument as roc_curve, and where no
/// class occurs.
PrecisionRecallCurve precision_recall_curve(const Tensor& y_true, const Tensor& y_pred, CurveOptions options = {});

}  // namespace tandem::metrics
