#pragma once
#include "tandem/data/transform.h"

namespace tandem::data {

/// Every input becomes x * factor + offset; whole numbers become float32 first. As Keras's Rescaling(scale, offset).
class Rescale : public TransformHandle {
 public:
  explicit Rescale(double factor, double offset = 0);
};

}  // namespace tandem::data
