#pragma once
#include <cstdint>
#include <optional>

#include "tandem/optimizers/learning_rate.h"

namespace tandem::schedules {

struct CosineDecayOptions {
  /// Share of the rate that is left in the end.
  double alpha = 0;
  /// Rate to which it rises in a straight line from the initial one over warmup_steps updates, before it falls. None:
  /// it falls from the initial rate, and warmup_steps says nothing.
  std::optional<double> warmup_target = {};
  int64_t warmup_steps = 0;
};

/// The rate falls along half a wave over `decay_steps` updates and stays at alpha times where it fell from (Loshchilov
/// and Hutter 2016), after a warm-up if asked (Goyal et al. 2017), as keras.optimizers.schedules.CosineDecay in
/// float32:
///     from * ((1 - alpha) * (1 + cos(pi * step / decay_steps)) / 2 + alpha)
/// Throws InvalidArgument when a rate or alpha is no finite number >= 0, decay_steps < 1, or warmup_steps < 0.
struct CosineDecay : LearningRate {
  CosineDecay(double initial_learning_rate, int64_t decay_steps, CosineDecayOptions options = {});
  static CosineDecay from_config(const Config& config);
};

}  // namespace tandem::schedules
