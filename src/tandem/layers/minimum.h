#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct MinimumOptions {
  std::string name = {};
};

/// Smallest of the values at each place of two or more inputs: `Minimum()({x, y})`. NaN stays NaN. As
/// keras.layers.Minimum: axes of size 1 are repeated, and an input of fewer axes gets axes of size 1 behind the
/// batch. Throws InvalidArgument naming all shapes when they differ, and on fewer than two inputs.
class Minimum : public LayerHandle {
 public:
  explicit Minimum(MinimumOptions options = {});
  static Minimum from_config(const Config& config);
};

}  // namespace tandem::layers
