#pragma once
#include <cstdint>
#include <string>

#include "tandem/metrics/metric.h"

namespace tandem::metrics {

struct CorrelationOptions {
  /// Key in logs and history. Empty: Keras's, the class name in snake_case.
  std::string name = {};
  /// The axis along which each row's values are correlated.
  int64_t axis = -1;
};

/// The mean over all rows of the correlation between a row's targets and its predictions, both (rows, ..., n); NaN for
/// a row of equal values. As keras.metrics.PearsonCorrelation.
struct PearsonCorrelation : Handle<Metric> {
  explicit PearsonCorrelation(CorrelationOptions options = {});
};

/// The same of Lin's concordance, which counts a shift or another scale as well, as
/// keras.metrics.ConcordanceCorrelation.
struct ConcordanceCorrelation : Handle<Metric> {
  explicit ConcordanceCorrelation(CorrelationOptions options = {});
};

}  // namespace tandem::metrics
