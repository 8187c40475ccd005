#pragma once
#include <cstdint>

#include "tandem/data/transform.h"

namespace tandem::data {

struct CutoutOptions {
  double cval = 0;  // of bytes a whole number from 0 to 255
};

/// Covers a square of `size` x `size` pixels of each image with one value (DeVries and Taylor 2017). Its middle is
/// drawn evenly from all pixels, so it may reach beyond the edges. The values' type stays. After the mean image is
/// subtracted, as in fit's augmentation, 0 is the mean. Throws InvalidArgument unless size is positive.
class Cutout : public TransformHandle {
 public:
  explicit Cutout(int64_t size, const CutoutOptions& options = {});
};

}  // namespace tandem::data
