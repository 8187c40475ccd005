#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tandem/metrics/metric.h"

namespace tandem::metrics {

struct PrecisionOptions {
  /// Predictions above it count as positive: each in [0, 1]; none: 0.5. Several: a figure for each.
  std::vector<double> thresholds = {};
  /// Only the k largest predictions of the last axis can be positive; without thresholds they all are.
  std::optional<int64_t> top_k = {};
  /// Only this class, an index of the last axis, is looked at.
  std::optional<int64_t> class_id = {};
  /// Key in logs and history. Empty: "precision".
  std::string name = {};
};

/// True positives among all that is predicted positive, 0 where nothing is; as keras.metrics.Precision. Targets (true
/// where not 0) and predictions (rows, ...) have one shape up to a last axis of 1. Throws InvalidArgument on a
/// threshold outside of [0, 1] and on a top_k or class_id out of range.
struct Precision : Handle<Metric> {
  explicit Precision(PrecisionOptions options = {});
};

struct RecallOptions {
  /// As PrecisionOptions.
  std::vector<double> thresholds = {};
  std::optional<int64_t> top_k = {};
  std::optional<int64_t> class_id = {};
  /// Key in logs and history. Empty: "recall".
  std::string name = {};
};

/// True positives among all that is true, 0 where nothing is; as keras.metrics.Recall. Shapes and errors as Precision.
struct Recall : Handle<Metric> {
  explicit Recall(RecallOptions options = {});
};

}  // namespace tandem::metrics
