#pragma once
#include <string>

#include "tandem/losses/loss.h"

namespace tandem::losses {

struct HuberOptions {
  /// Error up to which the loss is quadratic, above 0.
  double delta = 1;
  /// As LossOptions::reduction.
  std::string reduction = "sum_over_batch_size";
};

/// Mean over the last axis of error^2 / 2 up to delta and delta * |error| - delta^2 / 2 above it, as
/// keras.losses.Huber. Both have one shape (rows, ..., n) up to a last axis of 1, the result (rows, ...). The config
/// has delta where it is not 1 (Keras's own never has it, but reads it). Throws InvalidArgument on a delta not above 0.
struct Huber : Handle<Loss> {
  explicit Huber(HuberOptions options = {});
};

}  // namespace tandem::losses
