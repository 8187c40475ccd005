#pragma once
#include "tandem/losses/loss.h"
#include "tandem/losses/loss_options.h"

namespace tandem::losses {

/// Mean of |y_true - y_pred| over the last axis, as keras.losses.MeanAbsoluteError. Both have one shape (rows, ..., n)
/// up to a last axis of 1, the result (rows, ...).
struct MeanAbsoluteError : Handle<Loss> {
  explicit MeanAbsoluteError(LossOptions options = {});
};

}  // namespace tandem::losses
