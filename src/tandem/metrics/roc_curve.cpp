#include "tandem/metrics/roc_curve.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <limits>

#include "tandem/core/error.h"
#include "tandem/metrics/ranked_counts.h"

namespace tandem::metrics {
namespace {

double trapezoids(const std::vector<double>& x, const std::vector<double>& y) {
  double area = 0;
  for (std::size_t i = 1; i < x.size(); ++i) area += (x[i] - x[i - 1]) * (y[i] + y[i - 1]) / 2;
  return area;
}

RocCurve curve_of(const RankedCounts& counts, std::string label) {
  RocCurve curve;
  curve.label = std::move(label);
  curve.thresholds = counts.thresholds;
  for (const double hits : counts.true_positives) curve.true_positive_rate.push_back(hits / counts.positives());
  for (const double wrong : counts.false_positives) curve.false_positive_rate.push_back(wrong / counts.negatives());
  curve.thresholds.insert(curve.thresholds.begin(), std::numeric_limits<double>::infinity());
  curve.true_positive_rate.insert(curve.true_positive_rate.begin(), 0);
  curve.false_positive_rate.insert(curve.false_positive_rate.begin(), 0);
  curve.auc = trapezoids(curve.false_positive_rate, curve.true_positive_rate);
  return curve;
}

/// The curve's height at x: on a line between points, at a step the upper end, as numpy.interp.
double height_at(const RocCurve& curve, double x) {
  const auto& xs = curve.false_positive_rate;
  const auto& ys = curve.true_positive_rate;
  const auto after = std::upper_bound(xs.begin(), xs.end(), x);
  const auto i = static_cast<std::size_t>(after - xs.begin());
  if (i == xs.size()) return ys.back();
  const double part = (x - xs[i - 1]) / (xs[i] - xs[i - 1]);
  return ys[i - 1] + part * (ys[i] - ys[i - 1]);
}

RocCurve mean_of(std::vector<RocCurve> curves) {
  RocCurve mean;
  mean.label = "macro average";
  for (const auto& curve : curves) {
    mean.auc += curve.auc / static_cast<double>(curves.size());
    mean.false_positive_rate.insert(mean.false_positive_rate.end(), curve.false_positive_rate.begin(),
                                    curve.false_positive_rate.end());
  }
  auto& rates = mean.false_positive_rate;
  std::sort(rates.begin(), rates.end());
  rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
  for (const double rate : rates) {
    double sum = 0;
    for (const auto& curve : curves) sum += height_at(curve, rate);
    mean.true_positive_rate.push_back(sum / static_cast<double>(curves.size()));
  }
  // Every curve begins at the origin, also those that rise there.
  rates.insert(rates.begin(), 0);
  mean.true_positive_rate.insert(mean.true_positive_rate.begin(), 0);
  mean.by_class = std::move(curves);
  return mean;
}

bool has_both(const RankedCounts& counts) { return counts.positives() > 0 && counts.negatives() > 0; }

}  // namespace

RocCurve roc_curve(const Tensor& y_true, const Tensor& y_pred, CurveOptions options) {
  const auto scored = scored_classes(y_true, y_pred, options, "roc_curve");
  std::vector<RocCurve> curves;
  for (const auto& [label, counts] : counts_by_curve(scored, options.average)) {
    if (has_both(counts)) curves.push_back(curve_of(counts, label));
  }
  if (curves.empty())
    throw InvalidArgument("roc_curve: a class must be true of some rows and false of others, but none is");
  if (options.average == "micro" || scored.scores.size(1) == 1) return std::move(curves.front());
  return mean_of(std::move(curves));
}

}  // namespace tandem::metrics
