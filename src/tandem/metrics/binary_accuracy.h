#pragma once
#include <string>

#include "tandem/metrics/metric.h"

namespace tandem::metrics {

struct BinaryAccuracyOptions {
  /// Key in logs and history. Empty: "binary_accuracy".
  std::string name = {};
  /// A prediction above it counts as 1; one equal to it as 0.
  double threshold = 0.5;
};

/// How often predictions, cut at the threshold, equal targets of 0 and 1, as keras.metrics.BinaryAccuracy. Targets and
/// predictions (rows, ...) of one shape up to a last axis of 1.
struct BinaryAccuracy : Handle<Metric> {
  explicit BinaryAccuracy(BinaryAccuracyOptions options = {});
};

}  // namespace tandem::metrics
