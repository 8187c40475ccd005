#pragma once
#include <cstdint>

#include "tandem/optimizers/learning_rate.h"

namespace tandem::schedules {

struct CosineDecayRestartsOptions {
  /// Each period is t_mul times as long as the one before, at least 1.
  double t_mul = 2;
  /// Each period begins at m_mul times the rate at which the one before began.
  double m_mul = 1;
  /// Share of the initial rate below which it does not fall.
  double alpha = 0;
};

/// The rate falls along half a wave, again and again, first over `first_decay_steps` updates (Loshchilov and Hutter
/// 2016), as keras.optimizers.schedules.CosineDecayRestarts in float32:
///     initial * ((1 - alpha) * m_mul^period * (1 + cos(pi * done share of the period)) / 2 + alpha)
/// Throws InvalidArgument when the rate, m_mul or alpha is no finite number >= 0, first_decay_steps < 1, or t_mul < 1.
struct CosineDecayRestarts : LearningRate {
  CosineDecayRestarts(double initial_learning_rate, int64_t first_decay_steps, CosineDecayRestartsOptions options = {});
  static CosineDecayRestarts from_config(const Config& config);
};

}  // namespace tandem::schedules
