#pragma once
#include "tandem/losses/loss.h"
#include "tandem/losses/loss_options.h"

namespace tandem::losses {

/// Mean of log(cosh(y_pred - y_true)) over the last axis, as keras.losses.LogCosh. Both have one shape (rows, ..., n)
/// up to a last axis of 1, the result (rows, ...).
struct LogCosh : Handle<Loss> {
  explicit LogCosh(LossOptions options = {});
};

}  // namespace tandem::losses
