#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct TimeDistributedOptions {
  std::string name = {};
};

/// The same layer on each step: (batch, steps, ...) to (batch, steps, ...), a model within it too. Layers that treat
/// each row alone get all steps as one batch, others one step after the other, as in Keras. The mask of the input is
/// that of the output. As keras.layers.TimeDistributed. Throws InvalidArgument on an input of rank below 3 and a layer
/// of several outputs.
class TimeDistributed : public LayerHandle {
 public:
  explicit TimeDistributed(const LayerHandle& layer, TimeDistributedOptions options = {});
  static TimeDistributed from_config(const Config& config);
};

}  // namespace tandem::layers
