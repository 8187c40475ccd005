#pragma once
#include <cstdint>
#include <string>

#include "tandem/losses/loss.h"

namespace tandem::losses {

struct BinaryFocalCrossentropyOptions {
  /// Weigh targets of 1 by alpha, targets of 0 by 1 - alpha.
  bool apply_class_balancing = false;
  /// In [0, 1].
  double alpha = 0.25;
  /// Exponent, at least 0, of how far a prediction is off: the larger it is, the less the easy samples count.
  double gamma = 2;
  /// Predictions are logits rather than probabilities.
  bool from_logits = false;
  /// Share of each target, in [0, 1], that is spread evenly over 0 and 1.
  double label_smoothing = 0;
  /// The axis that is averaged over.
  int64_t axis = -1;
  /// As LossOptions::reduction.
  std::string reduction = "sum_over_batch_size";
};

/// Binary crossentropy times (1 - p)^gamma, where p is the probability that the prediction gives to the target, as
/// keras.losses.BinaryFocalCrossentropy (Lin et al., Focal Loss for Dense Object Detection, 2018). Shapes and clipping
/// as BinaryCrossentropy. Throws InvalidArgument when a setting is out of range, or the axis is not one of the
/// predictions', or that of the rows.
struct BinaryFocalCrossentropy : Handle<Loss> {
  explicit BinaryFocalCrossentropy(BinaryFocalCrossentropyOptions options = {});
};

}  // namespace tandem::losses
