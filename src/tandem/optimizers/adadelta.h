#pragma once
#include "tandem/optimizers/optimizer.h"

namespace tandem::optimizers {

struct AdadeltaOptions {
  LearningRate learning_rate = 0.001;
  /// Share, in [0, 1], of both averages that stays at each update.
  double rho = 0.95;
  /// Added under both roots.
  double epsilon = 1e-7;
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

/// Steps as large as the steps before in proportion to the gradients before (Zeiler 2012), as
/// keras.optimizers.Adadelta:
///     v = rho * v + (1 - rho) * g^2
///     d = g * sqrt(u + epsilon) / sqrt(v + epsilon),  u = rho * u + (1 - rho) * d^2,  w -= rate * d
/// in float32 or float64 in one pass over memory. The rate of the paper is 1. Throws InvalidArgument on settings out of
/// range.
struct Adadelta : Handle<Optimizer> {
  explicit Adadelta(AdadeltaOptions options = {});
  static Adadelta from_config(const Config& config);
};

}  // namespace tandem::optimizers
