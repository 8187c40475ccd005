#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/losses/loss.h"

namespace tandem::losses {

struct SparseCategoricalCrossentropyOptions {
  /// Predictions are logits rather than probabilities.
  bool from_logits = false;
  /// A label whose samples have no loss and do not count: may lie outside the classes (-1, 255).
  std::optional<int64_t> ignore_class = {};
  /// As LossOptions::reduction.
  std::string reduction = "sum_over_batch_size";
};

/// Crossentropy with class ids as targets, as keras.losses.SparseCategoricalCrossentropy. Targets of any type and shape
/// (rows, ...) or (rows, ..., 1), predictions (rows, ..., classes), result (rows, ...). Probabilities are clipped to
/// [1e-7, 1 - 1e-7] first, then divided by their sum (Keras on TensorFlow; the one-hot loss does so in the other
/// order). Throws InvalidArgument on a label outside [0, classes), naming it, its row and the number of classes.
struct SparseCategoricalCrossentropy : Handle<Loss> {
  explicit SparseCategoricalCrossentropy(SparseCategoricalCrossentropyOptions options = {});
};

}  // namespace tandem::losses
