#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct MaximumOptions {
  std::string name = {};
};

/// Largest of the values at each place of two or more inputs: `Maximum()({x, y})`. NaN stays NaN. As
/// keras.layers.Maximum: axes of size 1 are repeated, and an input of fewer axes gets axes of size 1 behind the
/// batch. Throws InvalidArgument naming all shapes when they differ, and on fewer than two inputs.
class Maximum : public LayerHandle {
 public:
  explicit Maximum(MaximumOptions options = {});
  static Maximum from_config(const Config& config);
};

}  // namespace tandem::layers
