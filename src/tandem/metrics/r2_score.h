#pragma once
#include <cstdint>
#include <string>

#include "tandem/metrics/metric.h"

namespace tandem::metrics {

struct R2ScoreOptions {
  /// "uniform_average": the mean over the outputs; "variance_weighted_average": weighted by their targets' variances;
  /// "": a figure for each.
  std::string class_aggregation = "uniform_average";
  /// Number of regressors that the adjusted score allows for; 0: the plain score.
  int64_t num_regressors = 0;
  /// Key in logs and history. Empty: "r2_score".
  std::string name = {};
};

/// 1 - residual / variance of the targets: the share of it that is explained, as keras.metrics.R2Score. Targets and
/// predictions (rows, outputs). An output whose targets are all equal counts 0, or NaN where its predictions equal
/// them. As in Keras the adjusted score counts every value as a row, and is the plain one where there are too few.
/// Throws InvalidArgument on a setting out of range.
struct R2Score : Handle<Metric> {
  explicit R2Score(R2ScoreOptions options = {});
};

}  // namespace tandem::metrics
