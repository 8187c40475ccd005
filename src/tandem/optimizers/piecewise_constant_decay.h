#pragma once
#include <cstdint>
#include <vector>

#include "tandem/optimizers/learning_rate.h"

namespace tandem::schedules {

/// The rate is values[0] up to and with update boundaries[0] (the first is 0), values[1] up to and with boundaries[1],
/// ..., and the last value from then on, as keras.optimizers.schedules.PiecewiseConstantDecay:
///     schedules::PiecewiseConstantDecay({1000, 2000}, {0.1, 0.01, 0.001})
/// Throws InvalidArgument unless there is one more value than boundaries, at least one boundary, boundaries grow, and
/// values are finite numbers >= 0.
struct PiecewiseConstantDecay : LearningRate {
  PiecewiseConstantDecay(std::vector<int64_t> boundaries, std::vector<double> values);
  static PiecewiseConstantDecay from_config(const Config& config);
};

}  // namespace tandem::schedules
