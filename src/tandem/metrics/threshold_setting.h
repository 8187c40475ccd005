#pragma once
#include <string>
#include <vector>

#include "tandem/core/config.h"
#include "tandem/metrics/threshold_counts.h"

namespace tandem {

/// Thresholds as Keras's metrics take them: none is `fallback`. Throws InvalidArgument in the name of `metric` on one
/// outside of [0, 1].
Thresholds thresholds_or(const std::vector<double>& given, double fallback, const std::string& metric);
/// How Keras writes them: null for none, a number for one, else a list.
Config thresholds_config(const std::vector<double>& given);

/// A number or a list of numbers in a config.
struct ThresholdList {
  std::vector<double> values = {};
};
void read_member(const Config& member, ThresholdList& list);

}  // namespace tandem
