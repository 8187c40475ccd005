#pragma once
#include <cstdint>

#include "tandem/optimizers/learning_rate.h"

namespace tandem::schedules {

struct ExponentialDecayOptions {
  /// Whole steps: step / decay_steps is rounded down.
  bool staircase = false;
};

/// The rate is multiplied by `decay_rate` in every `decay_steps` updates, as
/// keras.optimizers.schedules.ExponentialDecay: initial * decay_rate^(step / decay_steps), in float32.
/// Throws InvalidArgument when the rate or decay_rate is no finite number >= 0 or decay_steps < 1.
struct ExponentialDecay : LearningRate {
  ExponentialDecay(double initial_learning_rate, int64_t decay_steps, double decay_rate,
                   ExponentialDecayOptions options = {});
  static ExponentialDecay from_config(const Config& config);
};

}  // namespace tandem::schedules
