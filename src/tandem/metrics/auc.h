#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tandem/metrics/metric.h"

namespace tandem::metrics {

struct AUCOptions {
  /// Thresholds from 0 to 1 at which the curve is known, evenly spread, at least 2.
  int64_t num_thresholds = 200;
  /// "ROC", "PR" (precision over recall) or "PRGAIN" (precision gain over recall gain, Flach and Kull 2015).
  std::string curve = "ROC";
  /// How the area between two points is summed: "interpolation", "minoring" (the lower one's height) or "majoring".
  std::string summation_method = "interpolation";
  /// Key in logs and history. Empty: "auc".
  std::string name = {};
  /// Thresholds in (0, 1) in place of num_thresholds evenly spread ones; one below 0 and one above 1 are added.
  std::vector<double> thresholds = {};
  /// Each of the predictions' (rows, labels) labels has a curve of its own; the figure is the mean of their areas.
  bool multi_label = false;
  /// Of multi_label: how many there are, where that is known.
  std::optional<int64_t> num_labels = {};
  /// Factors by label, at least 0: of the areas with multi_label, else of the values; (labels). None: 1 each.
  std::vector<double> label_weights = {};
  /// Predictions are logits rather than probabilities.
  bool from_logits = false;
};

/// The area under the curve that the thresholds give, as keras.metrics.AUC: an approximation that states of a fixed
/// size allow; metrics::roc_curve gives the exact one of predictions in memory. Targets (true where not 0) and
/// predictions have one shape up to a last axis of 1. Throws InvalidArgument on a setting out of range.
struct AUC : Handle<Metric> {
  explicit AUC(AUCOptions options = {});
};

}  // namespace tandem::metrics
