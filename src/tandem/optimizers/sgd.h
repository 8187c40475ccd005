#pragma once
#include "tandem/optimizers/optimizer.h"

namespace tandem::optimizers {

struct SGDOptions {
  LearningRate learning_rate = 0.01;
  /// Share of the last step, in [0, 1], that goes into this one. 0: no slot is kept.
  double momentum = 0;
  /// Looks ahead along the momentum (Sutskever et al. 2013).
  bool nesterov = false;
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

/// Gradient descent with momentum, as keras.optimizers.SGD:
///     m = momentum * m - rate * g,  w += m        nesterov: w += momentum * m - rate * g
/// in float32 or float64 in one pass over memory. Throws InvalidArgument on settings out of range.
struct SGD : Handle<Optimizer> {
  explicit SGD(SGDOptions options = {});
  static SGD from_config(const Config& config);
};

}  // namespace tandem::optimizers
