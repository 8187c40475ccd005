#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct AverageOptions {
  std::string name = {};
};

/// Mean of two or more inputs of one shape: `Average()({x, y})`. As keras.layers.Average: axes of size 1 are
/// repeated, and an input of fewer axes gets axes of size 1 behind the batch. Throws InvalidArgument naming all
/// shapes when they differ, and on fewer than two inputs.
class Average : public LayerHandle {
 public:
  explicit Average(AverageOptions options = {});
  static Average from_config(const Config& config);
};

}  // namespace tandem::layers
