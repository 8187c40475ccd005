#pragma once
#include "tandem/losses/loss.h"
#include "tandem/losses/loss_options.h"

namespace tandem::losses {

/// 100 times the mean of |y_true - y_pred| / max(|y_true|, 1e-7) over the last axis, as
/// keras.losses.MeanAbsolutePercentageError. Both have one shape (rows, ..., n)
/// up to a last axis of 1, the result (rows, ...).
struct MeanAbsolutePercentageError : Handle<Loss> {
  explicit MeanAbsolutePercentageError(LossOptions options = {});
};

}  // namespace tandem::losses
