#pragma once
#include <cstdint>
#include <string>

#include "tandem/losses/loss.h"

namespace tandem::losses {

struct CategoricalCrossentropyOptions {
  /// Predictions are logits rather than probabilities.
  bool from_logits = false;
  /// Share of each target, in [0, 1], that is spread evenly over all classes.
  double label_smoothing = 0;
  /// The axis of the classes.
  int64_t axis = -1;
  /// As LossOptions::reduction.
  std::string reduction = "sum_over_batch_size";
};

/// Crossentropy with one-hot (or soft) targets, as keras.losses.CategoricalCrossentropy: -sum(y_true * log(y_pred))
/// over the classes. Targets and predictions have one shape, (rows, ..., classes); the result lacks the axis of the
/// classes. Probabilities are divided by their sum first, then clipped to [1e-7, 1 - 1e-7]. Throws InvalidArgument when
/// label_smoothing is outside [0, 1], or the axis is not one of the predictions', or that of the rows.
struct CategoricalCrossentropy : Handle<Loss> {
  explicit CategoricalCrossentropy(CategoricalCrossentropyOptions options = {});
};

}  // namespace tandem::losses
