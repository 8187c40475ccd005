#pragma once
#include "tandem/optimizers/optimizer.h"

namespace tandem::optimizers {

struct LambOptions {
  LearningRate learning_rate = 0.001;
  /// Shares, in [0, 1), of the averages of gradients and of their squares that stay at each update.
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  /// Added to the root.
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

/// Adam whose step has the length of the weight, for large batches (You et al. 2020), as keras.optimizers.Lamb; t
/// counts updates from 1:
///     m += (1 - beta_1) * (g - m),  v += (1 - beta_2) * (g^2 - v)
///     u = m / (1 - beta_1^t) / (sqrt(v / (1 - beta_2^t)) + epsilon)
///     w -= rate * |w| / |u| * u       with 1 in place of the ratio where a norm is 0
/// Unlike the paper, and as Keras, decay is no part of u. Throws InvalidArgument on settings out of range.
struct Lamb : Handle<Optimizer> {
  explicit Lamb(LambOptions options = {});
  static Lamb from_config(const Config& config);
};

}  // namespace tandem::optimizers
