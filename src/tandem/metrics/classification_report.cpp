#include "tandem/metrics/classification_report.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cstdio>

#include "tandem/core/error.h"
#include "tandem/losses/targets.h"
#include "tandem/metrics/class_ids_of.h"
#include "tandem/metrics/sample_weights.h"

namespace tandem::metrics {
namespace {

constexpr const char* kReport = "classification_report";

double share(double part, double whole) { return whole == 0 ? 0 : part / whole; }

ClassFigures figures_of(double hits, double predicted, double support) {
  return {share(hits, predicted), share(hits, support), share(2 * hits, predicted + support), support};
}

/// The mean of the classes' figures by `weight_of` each.
template <class WeightOf>
ClassFigures average(const std::vector<ClassFigures>& classes, const WeightOf& weight_of) {
  ClassFigures mean;
  double all = 0;
  for (const auto& c : classes) {
    const double weight = weight_of(c);
    all += weight;
    mean.precision += weight * c.precision;
    mean.recall += weight * c.recall;
    mean.f1 += weight * c.f1;
    mean.support += c.support;
  }
  if (all == 0) return mean;
  return {mean.precision / all, mean.recall / all, mean.f1 / all, mean.support};
}

std::string decimals(double value, int digits) {
  char text[400];  // the largest double has 309 digits before the point
  std::snprintf(text, sizeof text, "%.*f", std::clamp(digits, 0, 17), value);
  return text;
}

std::string right_aligned(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

}  // namespace

std::string ClassificationReport::to_string(int digits) const {
  const auto digit_count = static_cast<std::size_t>(std::clamp(digits, 0, 17));
  std::size_t name_width = std::string("weighted avg").size();
  for (const auto& name : names) name_width = std::max(name_width, name.size());
  const std::size_t width = std::max<std::size_t>(digit_count + 4, 9) + 1;
  const bool whole = std::all_of(by_class.begin(), by_class.end(), [](const ClassFigures& c) {
    return c.support == static_cast<double>(static_cast<int64_t>(c.support));
  });
  std::string text;
  const auto line = [&](const std::string& name, const std::string& precision, const std::string& recall,
                        const std::string& f1, const std::string& support) {
    text += right_aligned(name, name_width) + " ";
    for (const auto& cell : {precision, recall, f1, support}) text += right_aligned(cell, width);
    text += "\n";
  };
  const auto support_text = [&](double support) { return decimals(support, whole ? 0 : digits); };
  const auto row = [&](const std::string& name, const ClassFigures& c) {
    line(name, decimals(c.precision, digits), decimals(c.recall, digits), decimals(c.f1, digits),
         support_text(c.support));
  };
  line("", "precision", "recall", "f1-score", "support");
  text += "\n";
  for (std::size_t i = 0; i < by_class.size(); ++i) row(names[i], by_class[i]);
  text += "\n";
  line("accuracy", "", "", decimals(accuracy, digits), support_text(macro.support));
  row("macro avg", macro);
  row("weighted avg", weighted);
  return text;
}

ClassificationReport report_of_matrix(const Tensor& confusion, std::vector<std::string> names) {
  if (!confusion.defined() || confusion.dim() != 2 || confusion.size(0) != confusion.size(1)) {
    throw InvalidArgument(c10::str(kReport, ": the matrix must be (classes, classes), got ",
                                   confusion.defined() ? shape_text(confusion) : "no tensor"));
  }
  const int64_t classes = confusion.size(0);
  if (names.empty()) {
    for (int64_t i = 0; i < classes; ++i) names.push_back(std::to_string(i));
  }
  if (static_cast<int64_t>(names.size()) != classes) {
    throw InvalidArgument(
        c10::str(kReport, ": names must be one for each of ", classes, " classes, got ", names.size()));
  }
  ClassificationReport report;
  report.confusion = confusion.to(at::kCPU, at::kDouble).contiguous();
  const Tensor predicted = report.confusion.sum(0), support = report.confusion.sum(1);
  for (int64_t i = 0; i < classes; ++i) {
    report.by_class.push_back(
        figures_of(report.confusion[i][i].item<double>(), predicted[i].item<double>(), support[i].item<double>()));
  }
  report.names = std::move(names);
  report.accuracy = share(report.confusion.trace().item<double>(), report.confusion.sum().item<double>());
  report.macro = average(report.by_class, [](const ClassFigures&) { return 1.0; });
  report.weighted = average(report.by_class, [](const ClassFigures& c) { return c.support; });
  report.macro_precision = report.macro.precision;
  report.macro_recall = report.macro.recall;
  report.macro_f1 = report.macro.f1;
  report.weighted_precision = report.weighted.precision;
  report.weighted_recall = report.weighted.recall;
  report.weighted_f1 = report.weighted.f1;
  return report;
}

Tensor confusion_matrix(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) {
  const bool binary = y_pred.dim() < 2 || y_pred.size(-1) == 1;
  const int64_t classes = binary ? 2 : y_pred.size(-1);
  const Tensor truth = true_classes(y_true, y_pred, "confusion_matrix");
  check_class_ids(truth, classes, "confusion_matrix");
  const Tensor weights = sample_weight.defined() ? fit_weights(truth, sample_weight, "confusion_matrix") : Tensor();
  return count_pairs(truth, predicted_classes(y_pred), weights, classes);
}

ClassificationReport classification_report(const Tensor& y_true, const Tensor& y_pred,
                                           ClassificationReportOptions options) {
  return report_of_matrix(confusion_matrix(y_true, y_pred, options.sample_weight), std::move(options.names));
}

}  // namespace tandem::metrics
