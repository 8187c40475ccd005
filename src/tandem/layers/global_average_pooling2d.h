#pragma once
#include "tandem/layers/layer_handle.h"
#include "tandem/layers/pooling_options.h"

namespace tandem::layers {

using GlobalAveragePooling2DOptions = GlobalPoolingOptions;

/// Mean of an image: (batch, height, width, channels) to (batch, channels), or (batch, 1, 1, channels) with keepdims.
/// As keras.layers.GlobalAveragePooling2D. Throws InvalidArgument on an input of rank other than 4.
class GlobalAveragePooling2D : public LayerHandle {
 public:
  explicit GlobalAveragePooling2D(GlobalAveragePooling2DOptions options = {});
  static GlobalAveragePooling2D from_config(const Config& config);
};

}  // namespace tandem::layers
