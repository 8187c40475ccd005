#include "tandem/metrics/top_k_accuracy.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/losses/targets.h"
#include "tandem/metrics/mean_metric.h"

namespace tandem::metrics {
namespace {

constexpr const char* kTopK = "TopKCategoricalAccuracy";
constexpr const char* kSparseTopK = "SparseTopKCategoricalAccuracy";

void check_k(int64_t k, const char* metric) {
  if (k < 1) throw InvalidArgument(c10::str(metric, ": k must be at least 1, got ", k));
}

/// Whether fewer than k predictions are larger than that of the class. ids (rows, ...), scores (rows, ..., classes).
Tensor in_top_k(const Tensor& ids, const Tensor& scores, int64_t k) {
  const Tensor known = ids.ge(0).logical_and_(ids.lt(scores.size(-1)));
  const Tensor own = scores.gather(-1, ids.masked_fill(known.logical_not(), 0).unsqueeze(-1));
  return scores.gt(own).sum(-1).lt(k).logical_and_(scores.isfinite().all(-1)).logical_and_(known);
}

std::shared_ptr<Metric> make_top_k(const TopKCategoricalAccuracyOptions& options) {
  const int64_t k = options.k;
  check_k(k, kTopK);
  const auto matches = [k](const Tensor& y_true, const Tensor& y_pred) {
    const auto [truth, scores] = matching_targets(y_true, y_pred, c10::str("metric ", kTopK));
    return in_top_k(truth.argmax(-1), scores, k);
  };
  return std::make_shared<MeanMetric>(kTopK, options.name.empty() ? "top_k_categorical_accuracy" : options.name,
                                      matches, Metric::Direction::kUp, Config::object({{"k", k}}));
}

std::shared_ptr<Metric> make_sparse_top_k(const SparseTopKCategoricalAccuracyOptions& options) {
  const int64_t k = options.k;
  check_k(k, kSparseTopK);
  const bool sorted = options.from_sorted_ids;
  const auto matches = [k, sorted](const Tensor& y_true, const Tensor& y_pred) {
    const Tensor ids = class_ids(y_true, y_pred, c10::str("metric ", kSparseTopK));
    if (sorted) return y_pred.slice(-1, 0, k).eq(ids.unsqueeze(-1)).any(-1);
    return in_top_k(ids, y_pred, k);
  };
  Config settings = Config::object({{"k", k}});
  if (sorted) settings.set("from_sorted_ids", true);
  return std::make_shared<MeanMetric>(kSparseTopK,
                                      options.name.empty() ? "sparse_top_k_categorical_accuracy" : options.name,
                                      matches, Metric::Direction::kUp, std::move(settings));
}

}  // namespace

TopKCategoricalAccuracy::TopKCategoricalAccuracy(TopKCategoricalAccuracyOptions options)
    : Handle(make_top_k(options)) {}

SparseTopKCategoricalAccuracy::SparseTopKCategoricalAccuracy(SparseTopKCategoricalAccuracyOptions options)
    : Handle(make_sparse_top_k(options)) {}

}  // namespace tandem::metrics
