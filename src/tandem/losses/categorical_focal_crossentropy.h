#pragma once
#include <cstdint>
#include <string>

#include "tandem/losses/loss.h"

namespace tandem::losses {

struct CategoricalFocalCrossentropyOptions {
  /// Weight of all classes, in [0, 1]. Keras also takes one a class, which is not built.
  double alpha = 0.25;
  /// Exponent, at least 0, of how far a prediction is off: the larger it is, the less the easy samples count.
  double gamma = 2;
  /// Predictions are logits rather than probabilities.
  bool from_logits = false;
  /// Share of each target, in [0, 1], that is spread evenly over all classes.
  double label_smoothing = 0;
  /// The axis of the classes.
  int64_t axis = -1;
  /// As LossOptions::reduction.
  std::string reduction = "sum_over_batch_size";
};

/// The sum over the classes of -alpha * (1 - y_pred)^gamma * y_true * log(y_pred), as
/// keras.losses.CategoricalFocalCrossentropy (Lin et al., Focal Loss for Dense Object Detection, 2018). Shapes,
/// normalising and clipping as CategoricalCrossentropy; as in Keras it does not go back to the logits behind a softmax.
/// Throws InvalidArgument when a setting is out of range, or the axis is not one of the predictions', or that of the
/// rows.
struct CategoricalFocalCrossentropy : Handle<Loss> {
  explicit CategoricalFocalCrossentropy(CategoricalFocalCrossentropyOptions options = {});
};

}  // namespace tandem::losses
