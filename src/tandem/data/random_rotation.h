#pragma once
#include "tandem/data/fill_options.h"
#include "tandem/data/transform.h"

namespace tandem::data {

/// Turns each image about its middle by an angle drawn evenly from +-degrees, bilinear between pixels, to float32:
/// Keras's ImageDataGenerator with rotation_range = degrees. Throws InvalidArgument unless degrees is a number of at
/// least 0.
class RandomRotation : public TransformHandle {
 public:
  explicit RandomRotation(double degrees, const FillOptions& options = {});
};

}  // namespace tandem::data
