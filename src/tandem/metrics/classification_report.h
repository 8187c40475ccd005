#pragma once
#include <string>
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem::metrics {

/// Precision, recall and their harmonic mean of one class, or of an average; `support` is the number of rows of which
/// it is true. A share of nothing is 0.
struct ClassFigures {
  double precision = 0, recall = 0, f1 = 0, support = 0;
};

/// What a classifier got right, by class.
struct ClassificationReport {
  std::vector<std::string> names = {};      // by class
  std::vector<ClassFigures> by_class = {};  // in the same order
  double accuracy = 0;
  /// Means over all classes: of each the same, and each by its support. In a class that never occurs nor is predicted
  /// everything is 0, as with scikit-learn's labels.
  ClassFigures macro = {}, weighted = {};
  double macro_precision = 0, macro_recall = 0, macro_f1 = 0;
  double weighted_precision = 0, weighted_recall = 0, weighted_f1 = 0;
  Tensor confusion;  // float64 (classes, classes): how often each true one, by row, was predicted as each

  /// A table with a line a class, and accuracy, macro and weighted averages below, as scikit-learn prints it; figures
  /// with `digits` decimals.
  std::string to_string(int digits = 2) const;
};

struct ClassificationReportOptions {
  /// Of the classes, one each. Empty: their ids.
  std::vector<std::string> names = {};
  /// Weights of the rows, (rows). Undefined: 1 each.
  Tensor sample_weight = {};
};

/// Reports on predictions of all rows at once, as scikit-learn's classification_report. `y_true`: class ids (rows, ...)
/// or (rows, ..., 1), or one value a class; `y_pred`: scores (rows, ..., classes), or probabilities (rows, ..., 1) of
/// class 1 of two. Throws InvalidArgument on shapes that do not fit, on ids that are no classes, and on another number
/// of names than classes.
ClassificationReport classification_report(const Tensor& y_true, const Tensor& y_pred,
                                           ClassificationReportOptions options = {});

/// The report's matrix alone: float64 (classes, classes).
Tensor confusion_matrix(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight = {});
/// The report of a matrix that was added up elsewhere, as by metrics::ConfusionMatrix on several devices.
ClassificationReport report_of_matrix(const Tensor& confusion, std::vector<std::string> names = {});

}  // namespace tandem::metrics
