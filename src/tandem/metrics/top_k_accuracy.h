#pragma once
#include <cstdint>
#include <string>

#include "tandem/metrics/metric.h"

namespace tandem::metrics {

struct TopKCategoricalAccuracyOptions {
  /// Number of predictions that count as hits, at least 1.
  int64_t k = 5;
  /// Key in logs and history. Empty: "top_k_categorical_accuracy".
  std::string name = {};
};

/// How often the largest target is among the k largest predictions, as keras.metrics.TopKCategoricalAccuracy. Targets
/// and predictions have one shape, (rows, ..., classes). All predictions that tie with the k-th largest are among them;
/// in a row with an infinite or NaN prediction nothing is. Throws InvalidArgument on a k below 1.
struct TopKCategoricalAccuracy : Handle<Metric> {
  explicit TopKCategoricalAccuracy(TopKCategoricalAccuracyOptions options = {});
};

struct SparseTopKCategoricalAccuracyOptions {
  /// Number of predictions that count as hits, at least 1.
  int64_t k = 5;
  /// Key in logs and history. Empty: "sparse_top_k_categorical_accuracy".
  std::string name = {};
  /// Predictions are class ids, the likeliest first, rather than scores.
  bool from_sorted_ids = false;
};

/// The same for targets that are class ids of any type, (rows, ...) or (rows, ..., 1), as
/// keras.metrics.SparseTopKCategoricalAccuracy. An id that is no class is never a hit.
struct SparseTopKCategoricalAccuracy : Handle<Metric> {
  explicit SparseTopKCategoricalAccuracy(SparseTopKCategoricalAccuracyOptions options = {});
};

}  // namespace tandem::metrics
