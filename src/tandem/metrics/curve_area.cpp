#include "tandem/metrics/curve_area.h"

#include <ATen/ATen.h>

#include "tandem/metrics/threshold_metric.h"

namespace tandem::metrics {
namespace {

Tensor all_but_last(const Tensor& t) { return t.narrow(0, 0, t.size(0) - 1); }
Tensor all_but_first(const Tensor& t) { return t.narrow(0, 1, t.size(0) - 1); }

Tensor interpolated_precision_area(const ThresholdCounts& counts) {
  const Tensor &hits = counts.true_positives, next_hits = all_but_first(hits);
  const Tensor positive = hits + counts.false_positives;
  const Tensor first = all_but_last(positive), next = all_but_first(positive);
  const Tensor gained = all_but_last(hits) - next_hits;
  const Tensor slope = quotient(gained, (first - next).clamp_min(0));
  const Tensor intercept = next_hits - slope * next;
  const Tensor ratio = at::where(first.gt(0).logical_and(next.gt(0)), quotient(first, next), at::ones_like(next));
  const Tensor parts = slope * (gained + intercept * ratio.log());
  return quotient(parts, next_hits + all_but_first(counts.false_negatives)).sum(0);
}

struct Points {
  Tensor x, y;
};

Points gain_points(const ThresholdCounts& counts) {
  const Tensor &hits = counts.true_positives, none = hits.eq(0);
  const Tensor odds = quotient(hits + counts.false_negatives, counts.true_negatives + counts.false_positives);
  const Tensor recall_gain = 1 - odds * quotient(counts.false_negatives, hits);
  const Tensor precision_gain = 1 - odds * quotient(counts.false_positives, hits);
  return {recall_gain.masked_fill(none, 0).clamp_min(0), precision_gain.masked_fill(none, 1)};
}

Points points_of(const ThresholdCounts& counts, const std::string& curve) {
  if (curve == "PRGAIN") return gain_points(counts);
  const Tensor recall = share_of(counts.true_positives, counts.false_negatives);
  if (curve == "PR") return {recall, share_of(counts.true_positives, counts.false_positives)};
  return {share_of(counts.false_positives, counts.true_negatives), recall};
}

}  // namespace

Tensor curve_area(const ThresholdCounts& counts, const std::string& curve, const std::string& method) {
  if (curve == "PR" && method == "interpolation") return interpolated_precision_area(counts);
  const auto [x, y] = points_of(counts, curve);
  const Tensor first = all_but_last(y), next = all_but_first(y);
  const Tensor heights = method == "minoring"   ? at::minimum(first, next)
                         : method == "majoring" ? at::maximum(first, next)
                                                : (first + next) / 2;
  return ((all_but_last(x) - all_but_first(x)) * heights).sum(0);
}

}  // namespace tandem::metrics
