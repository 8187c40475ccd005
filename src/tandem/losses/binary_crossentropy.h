#pragma once
#include <cstdint>
#include <string>

#include "tandem/losses/loss.h"

namespace tandem::losses {

struct BinaryCrossentropyOptions {
  /// Predictions are logits rather than probabilities.
  bool from_logits = false;
  /// Share of each target, in [0, 1], that is spread evenly over 0 and 1.
  double label_smoothing = 0;
  /// The axis that is averaged over.
  int64_t axis = -1;
  /// As LossOptions::reduction.
  std::string reduction = "sum_over_batch_size";
};

/// Crossentropy of probabilities with targets in [0, 1], as keras.losses.BinaryCrossentropy: the mean over `axis` of
/// -y_true * log(y_pred) - (1 - y_true) * log(1 - y_pred). Both have one shape (rows, ..., n) up to a last axis of 1,
/// the result lacks `axis`. Probabilities are clipped to [1e-7, 1 - 1e-7]. Throws InvalidArgument when label_smoothing
/// is outside [0, 1], or the axis is not one of the predictions', or that of the rows.
struct BinaryCrossentropy : Handle<Loss> {
  explicit BinaryCrossentropy(BinaryCrossentropyOptions options = {});
};

}  // namespace tandem::losses
