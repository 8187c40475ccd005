#pragma once
#include "tandem/losses/loss.h"
#include "tandem/losses/loss_options.h"

namespace tandem::losses {

/// Mean of (y_true - y_pred)^2 over the last axis, as keras.losses.MeanSquaredError. Both have one shape (rows, ..., n)
/// up to a last axis of 1, the result (rows, ...). Unlike
/// Keras, shapes that differ otherwise are refused, never broadcast.
struct MeanSquaredError : Handle<Loss> {
  explicit MeanSquaredError(LossOptions options = {});
};

}  // namespace tandem::losses
