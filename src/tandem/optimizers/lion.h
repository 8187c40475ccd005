#pragma once
#include "tandem/optimizers/optimizer.h"

namespace tandem::optimizers {

struct LionOptions {
  LearningRate learning_rate = 0.001;
  /// Shares, in [0, 1], of the average of gradients in a step's direction and of what stays of it at each update.
  double beta_1 = 0.9;
  double beta_2 = 0.99;
  /// Decoupled: before the update each weight loses learning_rate * weight_decay of itself. 0: none.
  double weight_decay = 0;
  /// Bounds on the gradients (clipping.h), at most one of the three. 0: none.
  double clipnorm = 0;
  double clipvalue = 0;
  double global_clipnorm = 0;
  /// Averages of the weights over the updates (averaging.h), which replace the weights when fit ends.
  bool use_ema = false;
  double ema_momentum = 0.99;
  int64_t ema_overwrite_frequency = 0;
  /// The loss is multiplied by it while gradients are computed (loss_scaling.h). 0: not.
  double loss_scale_factor = 0;
  /// Batches to an update (accumulation.h). 0: one.
  int64_t gradient_accumulation_steps = 0;
};

/// Steps of one size, by the sign of an average of gradients (Chen et al. 2023), as keras.optimizers.Lion:
///     w -= rate * sign(beta_1 * m + (1 - beta_1) * g),  m = beta_2 * m + (1 - beta_2) * g
/// in float32 or float64 in one pass over memory. Throws InvalidArgument on settings out of range.
struct Lion : Handle<Optimizer> {
  explicit Lion(LionOptions options = {});
  static Lion from_config(const Config& config);
};

}  // namespace tandem::optimizers
