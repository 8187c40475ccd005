#pragma once
#include "tandem/losses/loss.h"
#include "tandem/losses/loss_options.h"

namespace tandem::losses {

/// Kullback-Leibler divergence, the sum of y_true * log(y_true / y_pred) over the last axis, as
/// keras.losses.KLDivergence. Probabilities are clipped to [1e-7, 1], not normalised. Both have one shape (rows, ...,
/// n) up to a last axis of 1, the result (rows, ...).
struct KLDivergence : Handle<Loss> {
  explicit KLDivergence(LossOptions options = {});
};

}  // namespace tandem::losses
