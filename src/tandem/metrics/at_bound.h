#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/metrics/metric.h"

namespace tandem::metrics {

struct AtBoundOptions {
  /// Thresholds from 0 to 1 that are tried, evenly spread; 1: 0.5 alone.
  int64_t num_thresholds = 200;
  /// Only this class, an index of the last axis, is looked at.
  std::optional<int64_t> class_id = {};
  /// Key in logs and history. Empty: Keras's, the class name in snake_case.
  std::string name = {};
};

/// The largest value of one share over the thresholds at which another one reaches a bound in [0, 1], 0 where none
/// does; as keras.metrics. Sensitivity is recall; specificity the share of true negatives among all that is false.
/// Targets (true where not 0) and predictions in [0, 1] have one shape up to a last axis of 1. Throws InvalidArgument
/// on a setting out of range.
struct SensitivityAtSpecificity : Handle<Metric> {
  explicit SensitivityAtSpecificity(double specificity, AtBoundOptions options = {});
};
struct SpecificityAtSensitivity : Handle<Metric> {
  explicit SpecificityAtSensitivity(double sensitivity, AtBoundOptions options = {});
};
struct PrecisionAtRecall : Handle<Metric> {
  explicit PrecisionAtRecall(double recall, AtBoundOptions options = {});
};
struct RecallAtPrecision : Handle<Metric> {
  explicit RecallAtPrecision(double precision, AtBoundOptions options = {});
};

}  // namespace tandem::metrics
