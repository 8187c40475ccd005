#pragma once
#include "tandem/losses/loss.h"
#include "tandem/losses/loss_options.h"

namespace tandem::losses {

/// Mean of (log(y_true + 1) - log(y_pred + 1))^2 over the last axis, as keras.losses.MeanSquaredLogarithmicError.
/// Values below 1e-7 count as 1e-7. Both have one shape (rows, ..., n) up to a last axis of 1, the result (rows, ...).
struct MeanSquaredLogarithmicError : Handle<Loss> {
  explicit MeanSquaredLogarithmicError(LossOptions options = {});
};

}  // namespace tandem::losses
