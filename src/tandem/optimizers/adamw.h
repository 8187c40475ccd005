#pragma once
#include "tandem/optimizers/optimizer.h"

namespace tandem::optimizers {

/// Adam's settings in AdamW's order, with a decay.
struct AdamWOptions {
  LearningRate learning_rate = 0.001;
  double weight_decay = 0.004;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  bool amsgrad = false;
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

/// Adam (adam.h) in which each weight, biases too, first loses learning_rate * weight_decay of itself (Loshchilov and
/// Hutter 2019), as keras.optimizers.AdamW. Throws InvalidArgument on settings out of range.
struct AdamW : Handle<Optimizer> {
  explicit AdamW(AdamWOptions options = {});
  static AdamW from_config(const Config& config);
};

}  // namespace tandem::optimizers
