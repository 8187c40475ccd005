#pragma once
#include "tandem/data/transform.h"

namespace tandem::data {

/// Adds to each image a number drawn evenly from +-range, one for all channels, and keeps the values between the least
/// and the largest that the image had. To float32. Keras's ImageDataGenerator with channel_shift_range = range. Throws
/// InvalidArgument unless the range is a number of at least 0.
class RandomChannelShift : public TransformHandle {
 public:
  explicit RandomChannelShift(double range);
};

}  // namespace tandem::data
