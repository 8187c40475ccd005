#include "tandem/metrics/precision_recall_curve.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/metrics/ranked_counts.h"

namespace tandem::metrics {
namespace {

PrecisionRecallCurve precision_curve_of(const RankedCounts& counts, std::string label) {
  PrecisionRecallCurve curve;
  curve.label = std::move(label);
  double before = 0;
  for (std::size_t i = 0; i < counts.thresholds.size(); ++i) {
    const double hits = counts.true_positives[i], all = hits + counts.false_positives[i];
    curve.precision.push_back(all == 0 ? 0 : hits / all);
    curve.recall.push_back(hits / counts.positives());
    curve.average_precision += (curve.recall.back() - before) * curve.precision.back();
    before = curve.recall.back();
  }
  curve.thresholds.assign(counts.thresholds.rbegin(), counts.thresholds.rend());
  std::reverse(curve.precision.begin(), curve.precision.end());
  std::reverse(curve.recall.begin(), curve.recall.end());
  curve.precision.push_back(1);
  curve.recall.push_back(0);
  return curve;
}

}  // namespace

PrecisionRecallCurve precision_recall_curve(const Tensor& y_true, const Tensor& y_pred, CurveOptions options) {
  const auto scored = scored_classes(y_true, y_pred, options, "precision_recall_curve");
  std::vector<PrecisionRecallCurve> curves;
  for (const auto& [label, counts] : counts_by_curve(scored, options.average)) {
    if (counts.positives() > 0) curves.push_back(precision_curve_of(counts, label));
  }
  if (curves.empty()) throw InvalidArgument("precision_recall_curve: a class must be true of some rows, but none is");
  if (options.average == "micro" || scored.scores.size(1) == 1) return std::move(curves.front());
  PrecisionRecallCurve mean;
  mean.label = "macro average";
  for (const auto& curve : curves)
    mean.average_precision += curve.average_precision / static_cast<double>(curves.size());
  mean.by_class = std::move(curves);
  return mean;
}

}  // namespace tandem::metrics
