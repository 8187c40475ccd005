#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct FlattenOptions {
  std::string name = {};
};

/// (batch, a, b, ...) to (batch, a * b * ...) in row-major order; (batch,) to (batch, 1). As keras.layers.Flatten.
class Flatten : public LayerHandle {
 public:
  explicit Flatten(FlattenOptions options = {});
  static Flatten from_config(const Config& config);
};

}  // namespace tandem::layers
