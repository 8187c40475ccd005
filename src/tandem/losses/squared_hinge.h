#pragma once
#include "tandem/losses/loss.h"
#include "tandem/losses/loss_options.h"

namespace tandem::losses {

/// Mean of max(1 - y_true * y_pred, 0)^2 over the last axis, with targets of -1 and 1, as keras.losses.SquaredHinge.
/// Targets of 0 and 1 are taken as Hinge takes them. Both have one shape (rows, ..., n)
/// up to a last axis of 1, the result (rows, ...).
struct SquaredHinge : Handle<Loss> {
  explicit SquaredHinge(LossOptions options = {});
};

}  // namespace tandem::losses
