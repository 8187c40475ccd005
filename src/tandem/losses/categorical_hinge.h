#pragma once
#include "tandem/losses/loss.h"
#include "tandem/losses/loss_options.h"

namespace tandem::losses {

/// max(largest wrong prediction - right prediction + 1, 0), as keras.losses.CategoricalHinge, for one-hot targets: the
/// right one is sum(y_true * y_pred), the wrong ones are (1 - y_true) * y_pred. Both have one shape (rows, ...,
/// classes), the result (rows, ...).
struct CategoricalHinge : Handle<Loss> {
  explicit CategoricalHinge(LossOptions options = {});
};

}  // namespace tandem::losses
