#pragma once
#include <optional>
#include <string>

#include "tandem/metrics/metric.h"

namespace tandem::metrics {

struct FBetaScoreOptions {
  /// "": a figure for each class. "micro": of all classes' counts together; "macro": the mean over classes; "weighted":
  /// their mean weighted by how often each is true.
  std::string average = {};
  /// How much more recall counts than precision, more than 0.
  double beta = 1;
  /// Predictions above it, in (0, 1], are positive. None: the largest of each row, unless it is 0.
  std::optional<double> threshold = {};
  /// Key in logs and history. Empty: "fbeta_score".
  std::string name = {};
};

/// (1 + beta^2) precision recall / (beta^2 precision + recall), as keras.metrics.FBetaScore. Targets (0 and 1) and
/// predictions have one shape (rows, classes). Throws InvalidArgument on a setting out of range.
struct FBetaScore : Handle<Metric> {
  explicit FBetaScore(FBetaScoreOptions options = {});
};

struct F1ScoreOptions {
  /// As FBetaScoreOptions.
  std::string average = {};
  std::optional<double> threshold = {};
  /// Key in logs and history. Empty: "f1_score".
  std::string name = {};
};

/// The harmonic mean of precision and recall, as keras.metrics.F1Score; shapes and errors as FBetaScore.
struct F1Score : Handle<Metric> {
  explicit F1Score(F1ScoreOptions options = {});
};

}  // namespace tandem::metrics
