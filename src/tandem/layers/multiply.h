#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct MultiplyOptions {
  std::string name = {};
};

/// Product of two or more inputs of one shape: `Multiply()({x, y})`. As keras.layers.Multiply: axes of size 1 are
/// repeated, and an input of fewer axes gets axes of size 1 behind the batch. Throws InvalidArgument naming all
/// shapes when they differ, and on fewer than two inputs.
class Multiply : public LayerHandle {
 public:
  explicit Multiply(MultiplyOptions options = {});
  static Multiply from_config(const Config& config);
};

}  // namespace tandem::layers
