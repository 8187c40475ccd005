#pragma once
#include "tandem/data/range.h"
#include "tandem/data/transform.h"

namespace tandem::data {

/// Multiplies each image by a factor drawn evenly from the range: `RandomBrightness({0.8, 1.2})`. To float32, cut off
/// at 255; images with values outside [0, 255] are brightened above their least value. Keras's ImageDataGenerator with
/// brightness_range, whose rounding to 256 levels is left out. Throws InvalidArgument unless 0 <= low <= high.
class RandomBrightness : public TransformHandle {
 public:
  explicit RandomBrightness(const Range& range);
};

}  // namespace tandem::data
