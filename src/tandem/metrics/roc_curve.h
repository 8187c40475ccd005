#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem::metrics {

/// A curve through points at falling thresholds, and the area under it.
struct RocCurve {
  std::string label = {};
  /// Shares of what is false, and of what is true, that lies at or above the threshold; from (0, 0) to (1, 1).
  std::vector<double> false_positive_rate = {}, true_positive_rate = {};
  /// Of the points; the first is infinite. None where curves were averaged.
  std::vector<double> thresholds = {};
  double auc = 0;
  /// Of an average over classes: the curves of those that occur, and that are not all there is.
  std::vector<RocCurve> by_class = {};
};

struct CurveOptions {
  /// Of several classes. "macro": the mean of the classes' curves at each rate; "micro": the curve of all pairs of a
  /// row and a class together.
  std::string average = "macro";
  /// Of the classes, one each, for labels. Empty: their ids.
  std::vector<std::string> names = {};
  /// Weights of the rows, (rows). Undefined: 1 each.
  Tensor sample_weight = {};
};

/// The exact receiver operating characteristic of predictions of all rows at once, as scikit-learn's roc_curve and auc.
/// `y_true`: class ids (rows) or (rows, 1), or one value a class; `y_pred`: scores (rows, classes) or, for class 1 of
/// two, (rows, 1) or (rows). The macro average interpolates true positive rates at all false positive rates, and its
/// area is the mean of the classes' areas. Throws InvalidArgument on shapes that do not fit, on scores that are NaN,
/// and where no class is both true and false somewhere.
RocCurve roc_curve(const Tensor& y_true, const Tensor& y_pred, CurveOptions options = {});

}  // namespace tandem::metrics
