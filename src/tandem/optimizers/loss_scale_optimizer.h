#pragma once
#include "tandem/optimizers/optimizer.h"

namespace tandem::optimizers {

struct LossScaleOptimizerOptions {
  double initial_scale = 32768;
  /// The scale doubles after so many updates in a row.
  int64_t dynamic_growth_steps = 2000;
  /// It is never halved below this, or below initial_scale where that is less. Keras has no such setting: it is written
  /// into files only where it is not 1.
  double minimum_scale = 1;
};

/// An optimizer in whose place gradients are computed of a multiple of the loss and divided by it, so that small ones
/// do not vanish in 16 bits, as keras.optimizers.LossScaleOptimizer: a step with a gradient that is not finite is left
/// out and halves the multiple. The inner optimizer's own loss_scale_factor does not count. Throws InvalidArgument on
/// settings out of range.
struct LossScaleOptimizer : Handle<Optimizer> {
  explicit LossScaleOptimizer(const Handle<Optimizer>& inner_optimizer, LossScaleOptimizerOptions options = {});
  static LossScaleOptimizer from_config(const Config& config);
};

}  // namespace tandem::optimizers
