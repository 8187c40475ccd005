#include "tandem/metrics/ranked_counts.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/losses/targets.h"
#include "tandem/metrics/class_ids_of.h"
#include "tandem/metrics/sample_weights.h"

namespace tandem::metrics {

RankedCounts rank_counts(const Tensor& truth, const Tensor& scores, const Tensor& weights) {
  const Tensor flat = scores.to(at::kCPU, at::kDouble).reshape({-1});
  const auto [sorted, order] = flat.sort(/*dim=*/0, /*descending=*/true);
  const Tensor positive = truth.to(at::kCPU).reshape({-1}).index_select(0, order).ne(0).to(at::kDouble);
  const Tensor weight = weights.defined() ? weights.to(at::kCPU, at::kDouble).reshape({-1}).index_select(0, order)
                                          : at::ones_like(sorted);
  const Tensor true_sums = (positive * weight).cumsum(0), false_sums = ((1 - positive) * weight).cumsum(0);
  const auto* score = sorted.const_data_ptr<double>();
  const auto* hits = true_sums.const_data_ptr<double>();
  const auto* misses = false_sums.const_data_ptr<double>();
  RankedCounts counts;
  for (int64_t i = 0; i < sorted.numel(); ++i) {
    if (i + 1 < sorted.numel() && score[i + 1] == score[i]) continue;  // equal scores share a point
    counts.thresholds.push_back(score[i]);
    counts.true_positives.push_back(hits[i]);
    counts.false_positives.push_back(misses[i]);
  }
  return counts;
}

ScoredClasses scored_classes(const Tensor& y_true, const Tensor& y_pred, const CurveOptions& options,
                             const std::string& where) {
  if (options.average != "macro" && options.average != "micro")
    throw_unknown_name(where + " average", options.average, {"macro", "micro"});
  if (!y_pred.defined() || y_pred.dim() < 1 || y_pred.dim() > 2 || y_pred.numel() == 0) {
    throw InvalidArgument(c10::str(where, ": scores must be (rows, classes) or (rows), got ",
                                   y_pred.defined() ? shape_text(y_pred) : "no tensor"));
  }
  if (y_pred.isnan().any().item<bool>()) throw InvalidArgument(c10::str(where, ": scores must be numbers, got NaN"));
  ScoredClasses scored;
  scored.scores = y_pred.dim() == 1 ? y_pred.unsqueeze(-1) : y_pred;
  const int64_t classes = scored.scores.size(1);
  const bool by_class = classes > 1 && y_true.sizes() == scored.scores.sizes();
  const Tensor ids = by_class ? Tensor() : class_ids(y_true, scored.scores, where);
  if (!by_class) check_class_ids(ids, classes == 1 ? 2 : classes, where);
  scored.truth = by_class       ? y_true.ne(0)
                 : classes == 1 ? ids.ne(0).unsqueeze(-1)
                                : ids.unsqueeze(-1).eq(at::arange(classes, ids.options()));
  if (options.sample_weight.defined()) scored.weights = fit_weights(scored.scores, options.sample_weight, where);
  scored.names = options.names;
  if (scored.names.empty()) {
    for (int64_t i = 0; i < classes; ++i) scored.names.push_back(std::to_string(classes == 1 ? 1 : i));
  }
  if (static_cast<int64_t>(scored.names.size()) != classes) {
    throw InvalidArgument(
        c10::str(where, ": names must be one for each of ", classes, " columns of scores, got ", scored.names.size()));
  }
  return scored;
}

std::vector<LabelledCounts> counts_by_curve(const ScoredClasses& scored, const std::string& average) {
  const int64_t classes = scored.scores.size(1);
  if (average == "micro" && classes > 1)
    return {{"micro average", rank_counts(scored.truth, scored.scores, scored.weights)}};
  std::vector<LabelledCounts> all;
  for (int64_t i = 0; i < classes; ++i) {
    const Tensor weights = scored.weights.defined() ? scored.weights.select(1, i) : Tensor();
    all.push_back({scored.names[static_cast<std::size_t>(i)],
                   rank_counts(scored.truth.select(1, i), scored.scores.select(1, i), weights)});
  }
  return all;
}

}  // namespace tandem::metrics
