#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct ReshapeOptions {
  std::string name = {};
};

/// (batch, ...) to (batch, target_shape...) in row-major order, the same memory where it lies in that order; one size
/// of target_shape may be -1, what is left. As keras.layers.Reshape: `Reshape({3, -1})`. Throws InvalidArgument on
/// other sizes that are not positive, on more than one -1, and on an input of another number of values a row.
class Reshape : public LayerHandle {
 public:
  explicit Reshape(Shape target_shape, ReshapeOptions options = {});
  static Reshape from_config(const Config& config);
};

}  // namespace tandem::layers
