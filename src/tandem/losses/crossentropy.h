#pragma once
#include "tandem/losses/loss.h"
#include "tandem/losses/loss_options.h"

namespace tandem::losses {

/// The crossentropy that fits the shapes, as "crossentropy" (or "ce") in Keras's compile: binary for predictions of one
/// column, sparse for targets without classes of their own, else categorical. All take probabilities.
struct Crossentropy : Handle<Loss> {
  explicit Crossentropy(LossOptions options = {});
};

}  // namespace tandem::losses
