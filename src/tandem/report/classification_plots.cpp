#include "tandem/report/classification_plots.h"

#include "tandem/report/number_text.h"

namespace tandem::report {
namespace {

std::string with_figure(const std::string& label, const char* what, double figure) {
  return label + " (" + what + " " + fixed_text(figure, 3) + ")";
}

void label_axes(PlotOptions& options, const char* x_label, const char* y_label) {
  if (options.x_label.empty()) options.x_label = x_label;
  if (options.y_label.empty()) options.y_label = y_label;
}

}  // namespace

std::vector<Curve> roc_curves(const metrics::RocCurve& curve) {
  std::vector<Curve> curves;
  const auto add = [&](const metrics::RocCurve& one) {
    curves.push_back({with_figure(one.label, "AUC", one.auc), one.false_positive_rate, one.true_positive_rate});
  };
  add(curve);
  for (const auto& one : curve.by_class) add(one);
  curves.push_back({"guessing", {0, 1}, {0, 1}});
  return curves;
}

void plot_roc(const metrics::RocCurve& curve, const std::string& path, PlotOptions options) {
  label_axes(options, "False positive rate", "True positive rate");
  plot_curves(roc_curves(curve), path, std::move(options));
}

std::vector<Curve> precision_recall_curves(const metrics::PrecisionRecallCurve& curve) {
  std::vector<Curve> curves;
  const auto add = [&](const metrics::PrecisionRecallCurve& one) {
    curves.push_back({with_figure(one.label, "AP", one.average_precision), one.recall, one.precision});
  };
  if (curve.by_class.empty()) add(curve);
  for (const auto& one : curve.by_class) add(one);
  return curves;
}

void plot_precision_recall(const metrics::PrecisionRecallCurve& curve, const std::string& path, PlotOptions options) {
  label_axes(options, "Recall", "Precision");
  plot_curves(precision_recall_curves(curve), path, std::move(options));
}

}  // namespace tandem::report
