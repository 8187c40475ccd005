#pragma once
#include "tandem/losses/loss.h"
#include "tandem/losses/loss_options.h"

namespace tandem::losses {

/// Mean of y_pred - y_true * log(y_pred + 1e-7) over the last axis, as keras.losses.Poisson. Both have one shape (rows,
/// ..., n) up to a last axis of 1, the result (rows, ...).
struct Poisson : Handle<Loss> {
  explicit Poisson(LossOptions options = {});
};

}  // namespace tandem::losses
