#pragma once
#include <cstdint>
#include <string>

#include "tandem/metrics/metric.h"
#include "tandem/metrics/metric_options.h"

namespace tandem::metrics {

/// Means over all rows of the losses of the same names; shapes, errors and formulas are theirs (losses/). A weight a
/// sample counts for a value of the loss. As keras.metrics.
struct MeanSquaredError : Handle<Metric> {
  explicit MeanSquaredError(MetricOptions options = {});
};
struct MeanAbsoluteError : Handle<Metric> {
  explicit MeanAbsoluteError(MetricOptions options = {});
};
struct MeanAbsolutePercentageError : Handle<Metric> {
  explicit MeanAbsolutePercentageError(MetricOptions options = {});
};
struct MeanSquaredLogarithmicError : Handle<Metric> {
  explicit MeanSquaredLogarithmicError(MetricOptions options = {});
};
/// losses::LogCosh; Keras's default name is "logcosh".
struct LogCoshError : Handle<Metric> {
  explicit LogCoshError(MetricOptions options = {});
};

struct CosineSimilarityOptions {
  /// Key in logs and history. Empty: "cosine_similarity".
  std::string name = {};
  /// The axis of the vectors.
  int64_t axis = -1;
};

/// The mean cosine between target and prediction, as keras.metrics.CosineSimilarity: 1 for equal directions, where the
/// loss has -1. Both have one shape (rows, ..., n). The config has axis where it is not -1.
struct CosineSimilarity : Handle<Metric> {
  explicit CosineSimilarity(CosineSimilarityOptions options = {});
};

}  // namespace tandem::metrics
