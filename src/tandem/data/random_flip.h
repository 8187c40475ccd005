#pragma once
#include <string>

#include "tandem/data/transform.h"

namespace tandem::data {

/// Mirrors each image with probability 1/2: "horizontal" (left to right), "vertical" (top to bottom), or
/// "horizontal_and_vertical", which draws for each direction. As Keras's RandomFlip. Throws InvalidArgument on another
/// mode.
class RandomFlip : public TransformHandle {
 public:
  explicit RandomFlip(const std::string& mode = "horizontal_and_vertical");
};

}  // namespace tandem::data
