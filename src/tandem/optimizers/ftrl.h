#pragma once
#include "tandem/optimizers/optimizer.h"

namespace tandem::optimizers {

struct FtrlOptions {
  /// More than 0: the rule divides by it.
  LearningRate learning_rate = 0.001;
  /// At most 0: how fast the rate of an element falls with its sum of squares; 0: not at all.
  double learning_rate_power = -0.5;
  /// Each sum of squares begins with it, at least 0.
  double initial_accumulator_value = 0.1;
  /// At least 0: elements are drawn to 0, and set to it.
  double l1_regularization_strength = 0;
  /// At least 0: elements are drawn to 0.
  double l2_regularization_strength = 0;
  /// At least 0: added to the gradient as a penalty on the size of the weights.
  double l2_shrinkage_regularization_strength = 0;
  /// More damping where rates are small (McMahan et al. 2013).
  double beta = 0;
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

/// Follow the regularised leader (McMahan et al. 2013), as keras.optimizers.Ftrl:
///     n' = n + g^2,  s = (n'^-power - n^-power) / rate
///     z += g + 2 * l2_shrinkage * w - s * w,  n = n'
///     w = (clip(z, -l1, l1) - z) / (n^-power / rate + 2 * l2 + beta / rate)
/// in float32 or float64 in one pass over memory. Throws InvalidArgument on settings out of range.
struct Ftrl : Handle<Optimizer> {
  explicit Ftrl(FtrlOptions options = {});
  static Ftrl from_config(const Config& config);
};

}  // namespace tandem::optimizers
