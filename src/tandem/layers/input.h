#pragma once
#include <string>

#include "tandem/core/shape.h"
#include "tandem/layers/keras_tensor.h"

namespace tandem::layers {

struct InputOptions {
  int64_t batch_size = -1;  // -1: any
  std::string name = {};
};

/// Entry of a graph for batches of `shape` (without the batch axis), as keras.Input.
KerasTensor Input(const Shape& shape, const InputOptions& options = {});

}  // namespace tandem::layers
