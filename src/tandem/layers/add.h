#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct AddOptions {
  std::string name = {};
};

/// Sum of two or more inputs of one shape: `Add()({x, y})`. As keras.layers.Add: axes of size 1 are repeated, and an
/// input of fewer axes gets axes of size 1 behind the batch. Throws InvalidArgument naming all shapes when they differ,
/// and on fewer than two inputs.
class Add : public LayerHandle {
 public:
  explicit Add(AddOptions options = {});
  static Add from_config(const Config& config);
};

}  // namespace tandem::layers
