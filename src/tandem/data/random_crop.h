#pragma once
#include <cstdint>
#include <string>

#include "tandem/data/transform.h"

namespace tandem::data {

struct RandomCropOptions {
  int64_t padding = 0;                 // pixels put around the image first
  std::string fill_mode = "constant";  // what they hold: nearest, constant, reflect, wrap
  double cval = 0;                     // the value of fill_mode "constant"; of bytes a whole number from 0 to 255
};

/// Cuts (height, width) out of each image at a place drawn evenly; values and their type stay. `RandomCrop(32, 32,
/// {.padding = 4})` of 32 x 32 images shifts by up to 4 whole pixels. Throws InvalidArgument when a size is not
/// positive, and at use when an image with its padding is smaller than the crop; Keras's layer RandomCrop enlarges such
/// an image.
class RandomCrop : public TransformHandle {
 public:
  RandomCrop(int64_t height, int64_t width, const RandomCropOptions& options = {});
};

}  // namespace tandem::data
