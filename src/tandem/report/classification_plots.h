#pragma once
#include <string>
#include <vector>

#include "tandem/metrics/classification_report.h"
#include "tandem/metrics/precision_recall_curve.h"
#include "tandem/metrics/roc_curve.h"
#include "tandem/report/curves.h"
#include "tandem/report/drawing.h"

namespace tandem::report {

/// Draws the curve, those of its classes where it is an average, and the diagonal that guessing gives, each labelled
/// with its area. Axis labels that `options` leave empty are "False positive rate" and "True positive rate". Throws as
/// plot_curves:
///     report::plot_roc(metrics::roc_curve(test.y(), probabilities), "roc.png")
void plot_roc(const metrics::RocCurve& curve, const std::string& path, PlotOptions options = {});
/// The curves that plot_roc draws.
std::vector<Curve> roc_curves(const metrics::RocCurve& curve);

/// Draws the curve, or those of the classes of an average, each labelled with its average precision. Axis labels that
/// `options` leave empty are "Recall" and "Precision". Throws as plot_curves.
void plot_precision_recall(const metrics::PrecisionRecallCurve& curve, const std::string& path,
                           PlotOptions options = {});
/// The curves that plot_precision_recall draws.
std::vector<Curve> precision_recall_curves(const metrics::PrecisionRecallCurve& curve);

/// Draws the report's matrix: a square for each pair of a true class, by row, and a predicted one, darker the larger
/// its share of the row, with its count where there is room. Axis labels that `options` leave empty are "Predicted" and
/// "True". Throws InvalidArgument for another ending of `path` or a report without classes, DataError where the file
/// cannot be written.
void plot_confusion_matrix(const metrics::ClassificationReport& report, const std::string& path,
                           PlotOptions options = {});
/// The same drawing as pixels.
Picture draw_confusion_matrix(const metrics::ClassificationReport& report, PlotOptions options = {});

}  // namespace tandem::report
