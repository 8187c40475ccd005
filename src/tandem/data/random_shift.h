#pragma once
#include "tandem/data/fill_options.h"
#include "tandem/data/transform.h"

namespace tandem::data {

/// Moves each image up or down and left or right by numbers of pixels drawn evenly from +-fraction * height and
/// +-fraction * width, bilinear between pixels, to float32: Keras's ImageDataGenerator with height_shift_range =
/// width_shift_range = fraction. Throws InvalidArgument unless 0 <= fraction < 1.
class RandomShift : public TransformHandle {
 public:
  explicit RandomShift(double fraction, const FillOptions& options = {});
};

}  // namespace tandem::data
