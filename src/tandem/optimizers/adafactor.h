#pragma once
#include "tandem/optimizers/optimizer.h"

namespace tandem::optimizers {

struct AdafactorOptions {
  LearningRate learning_rate = 0.001;
  /// Power of t, at most 0, by which the averages of squares forget.
  double beta_2_decay = -0.8;
  /// Added to squared gradients.
  double epsilon_1 = 1e-30;
  /// The least size of a weight that scales its step.
  double epsilon_2 = 1e-3;
  /// Steps with a larger root of their mean square are scaled down to it; more than 0.
  double clip_threshold = 1;
  /// Keras's setting. The rate is bounded by 1 / sqrt(t) with it and, as in Keras, without it.
  bool relative_step = true;
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

/// Adam from averages by row and by column (Shazeer and Stern 2018), as keras.optimizers.Adafactor; t counts updates
/// from 1, rms is the root of the mean square:
///     b = 1 - t^beta_2_decay,  q = g^2 + epsilon_1
///     r = b * r + (1 - b) * mean(q, last axis),  c = b * c + (1 - b) * mean(q, last but one),  v = r / mean(r) * c
///     vectors:  v = b * v + (1 - b) * q
///     u = g / sqrt(v),  w -= max(epsilon_2, rms(w)) * min(rate, 1 / sqrt(t)) * u / max(1, rms(u) / clip_threshold)
/// As Keras it keeps v too, so it needs as much memory as Adam. Throws InvalidArgument on settings out of range.
struct Adafactor : Handle<Optimizer> {
  explicit Adafactor(AdafactorOptions options = {});
  static Adafactor from_config(const Config& config);
};

}  // namespace tandem::optimizers
