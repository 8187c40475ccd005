#pragma once
#include <cstdint>
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct RepeatVectorOptions {
  std::string name = {};
};

/// Each vector n times: (batch, features) to (batch, n, features). As keras.layers.RepeatVector. Throws InvalidArgument
/// unless n is positive, and on an input of rank other than 2.
class RepeatVector : public LayerHandle {
 public:
  explicit RepeatVector(int64_t n, RepeatVectorOptions options = {});
  static RepeatVector from_config(const Config& config);
};

}  // namespace tandem::layers
