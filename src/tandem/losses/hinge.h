#pragma once
#include "tandem/losses/loss.h"
#include "tandem/losses/loss_options.h"

namespace tandem::losses {

/// Mean of max(1 - y_true * y_pred, 0) over the last axis, with targets of -1 and 1, as keras.losses.Hinge. A target of
/// 0 counts as -1 where all targets of the call are 0 or 1. Keras decides that by the whole batch, which no replica
/// sees: so that nothing depends on how the batch is divided, targets that mix 0 with others than 1 are refused with
/// InvalidArgument (in Keras such a 0 stays 0). Both have one shape (rows, ..., n)
/// up to a last axis of 1, the result (rows, ...).
struct Hinge : Handle<Loss> {
  explicit Hinge(LossOptions options = {});
};

}  // namespace tandem::losses
