#pragma once
#include <string>
#include <vector>

#include "tandem/metrics/metric.h"

namespace tandem::metrics {

struct ConfusionCountOptions {
  /// Each in [0, 1]; none: 0.5. Several: a figure for each.
  std::vector<double> thresholds = {};
  /// Key in logs and history. Empty: Keras's, the class name in snake_case.
  std::string name = {};
};

/// How many predictions of truth (targets not 0) or of falsehood are right or wrong, where those above the threshold
/// count as positive; weighted by sample weights. As keras.metrics. Targets and predictions (rows, ...) have one shape
/// up to a last axis of 1. Throws InvalidArgument on a threshold outside of [0, 1].
struct TruePositives : Handle<Metric> {
  explicit TruePositives(ConfusionCountOptions options = {});
};
struct TrueNegatives : Handle<Metric> {
  explicit TrueNegatives(ConfusionCountOptions options = {});
};
struct FalsePositives : Handle<Metric> {
  explicit FalsePositives(ConfusionCountOptions options = {});
};
struct FalseNegatives : Handle<Metric> {
  explicit FalseNegatives(ConfusionCountOptions options = {});
};

}  // namespace tandem::metrics
