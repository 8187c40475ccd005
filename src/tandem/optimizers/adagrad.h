#pragma once
#include "tandem/optimizers/optimizer.h"

namespace tandem::optimizers {

struct AdagradOptions {
  LearningRate learning_rate = 0.001;
  /// What the sums of squares begin with.
  double initial_accumulator_value = 0.1;
  /// Added under the root.
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

/// Gradients divided by the root of the sum of their squares so far (Duchi, Hazan and Singer 2011), as
/// keras.optimizers.Adagrad:
///     sum += g^2,  w -= rate * g / sqrt(sum + epsilon)
/// in float32 or float64 in one pass over memory. Throws InvalidArgument on settings out of range.
struct Adagrad : Handle<Optimizer> {
  explicit Adagrad(AdagradOptions options = {});
  static Adagrad from_config(const Config& config);
};

}  // namespace tandem::optimizers
