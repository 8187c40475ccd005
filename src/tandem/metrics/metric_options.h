#pragma once
#include <string>

namespace tandem::metrics {

/// Options of metrics that have no other.
struct MetricOptions {
  /// Key in logs and history. Empty: Keras's, the class name in snake_case.
  std::string name = {};
};

}  // namespace tandem::metrics
