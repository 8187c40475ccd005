#pragma once
#include "tandem/layers/layer_handle.h"
#include "tandem/layers/pooling_options.h"

namespace tandem::layers {

using GlobalAveragePooling1DOptions = GlobalPoolingOptions;

/// Mean of a sequence: (batch, steps, channels) to (batch, channels), or (batch, 1, channels) with keepdims; of
/// the steps that the input's mask lets count, where it has one. As keras.layers.GlobalAveragePooling1D. Throws
/// InvalidArgument on an input of rank other than 3.
class GlobalAveragePooling1D : public LayerHandle {
 public:
  explicit GlobalAveragePooling1D(GlobalAveragePooling1DOptions options = {});
  static GlobalAveragePooling1D from_config(const Config& config);
};

}  // namespace tandem::layers
