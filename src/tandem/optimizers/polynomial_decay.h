#pragma once
#include <cstdint>

#include "tandem/optimizers/learning_rate.h"

namespace tandem::schedules {

struct PolynomialDecayOptions {
  double end_learning_rate = 1e-4;
  /// 1: a straight line.
  double power = 1;
  /// After decay_steps starts again over the next multiple of decay_steps instead of staying at the end.
  bool cycle = false;
};

/// The rate falls from `initial_learning_rate` to the end rate over `decay_steps` updates, as
/// keras.optimizers.schedules.PolynomialDecay: (initial - end) * (1 - step / decay_steps)^power + end.
///     optimizers::SGD({.learning_rate = schedules::PolynomialDecay(5e-3, 1000, {.end_learning_rate = 0})})
/// Throws InvalidArgument when a rate is no finite number >= 0, decay_steps < 1, or the power is not above 0.
struct PolynomialDecay : LearningRate {
  PolynomialDecay(double initial_learning_rate, int64_t decay_steps, PolynomialDecayOptions options = {});
  static PolynomialDecay from_config(const Config& config);
};

}  // namespace tandem::schedules
