#pragma once
#include <cstdint>

#include "tandem/optimizers/learning_rate.h"

namespace tandem::schedules {

struct InverseTimeDecayOptions {
  /// Whole steps: step / decay_steps is rounded down.
  bool staircase = false;
};

/// The rate falls with the inverse of the number of updates, as
/// keras.optimizers.schedules.InverseTimeDecay: initial / (1 + decay_rate * step / decay_steps), in float32.
/// Throws InvalidArgument when the rate or decay_rate is no finite number >= 0 or decay_steps < 1.
struct InverseTimeDecay : LearningRate {
  InverseTimeDecay(double initial_learning_rate, int64_t decay_steps, double decay_rate,
                   InverseTimeDecayOptions options = {});
  static InverseTimeDecay from_config(const Config& config);
};

}  // namespace tandem::schedules
