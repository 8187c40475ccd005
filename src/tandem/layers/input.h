#pragma once
#include <string>

#include "tandem/core/config.h"
#include "tandem/core/shape.h"
#include "tandem/layers/keras_tensor.h"

namespace tandem::layers {

struct InputOptions {
  int64_t batch_size = -1;        // -1: any. As in Keras it is only written down: other batches are taken too
  std::string dtype = "float32";  // "int32", "int64": whole numbers, as ids, which must not be rounded
  std::string name = {};
};

/// Entry of a graph for batches of `shape` (without the batch axis), as keras.Input. Throws InvalidArgument on sizes
/// that are not positive or unknown, and on another dtype.
KerasTensor Input(const Shape& shape, const InputOptions& options = {});

/// The same from the config of an InputLayer. Throws DataError on a config that is none, InvalidArgument on settings
/// that cannot be kept (sparse, ragged, optional inputs, other types).
KerasTensor input_from_config(const Config& config);

}  // namespace tandem::layers
