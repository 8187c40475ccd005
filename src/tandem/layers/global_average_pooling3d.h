#pragma once
#include "tandem/layers/layer_handle.h"
#include "tandem/layers/pooling_options.h"

namespace tandem::layers {

using GlobalAveragePooling3DOptions = GlobalPoolingOptions;

/// Mean of a volume: (batch, depth, height, width, channels) to (batch, channels), or (batch, 1, 1, 1, channels) with
/// keepdims. As keras.layers.GlobalAveragePooling3D. Throws InvalidArgument on an input of rank other than 5.
class GlobalAveragePooling3D : public LayerHandle {
 public:
  explicit GlobalAveragePooling3D(GlobalAveragePooling3DOptions options = {});
  static GlobalAveragePooling3D from_config(const Config& config);
};

}  // namespace tandem::layers
