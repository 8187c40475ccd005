#pragma once
#include "tandem/optimizers/optimizer.h"

namespace tandem::optimizers {

struct RMSpropOptions {
  LearningRate learning_rate = 0.001;
  /// Share, in [0, 1], of the average of squared gradients that stays at each update.
  double rho = 0.9;
  /// Share of the last step, in [0, 1], that goes into this one. 0: no slot is kept.
  double momentum = 0;
  /// Added under the root.
  double epsilon = 1e-7;
  /// Divides by the deviation of the gradient instead of its mean square.
  bool centered = false;
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

/// Gradients divided by a running average of their size (Hinton, Srivastava and Swersky 2012), as
/// keras.optimizers.RMSprop:
///     v = rho * v + (1 - rho) * g^2       centered: a = rho * a + (1 - rho) * g, and v - a^2 in place of v below
///     step = rate * g / sqrt(v + epsilon)
///     w -= step                           momentum: m = momentum * m + step, w -= m
/// in float32 or float64 in one pass over memory. v - a^2 counts as 0 where rounding makes it less. Throws
/// InvalidArgument on settings out of range.
struct RMSprop : Handle<Optimizer> {
  explicit RMSprop(RMSpropOptions options = {});
  static RMSprop from_config(const Config& config);
};

}  // namespace tandem::optimizers
