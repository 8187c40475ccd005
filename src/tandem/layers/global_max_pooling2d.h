#pragma once
#include "tandem/layers/layer_handle.h"
#include "tandem/layers/pooling_options.h"

namespace tandem::layers {

using GlobalMaxPooling2DOptions = GlobalPoolingOptions;

/// Largest value of an image: (batch, height, width, channels) to (batch, channels), or (batch, 1, 1, channels) with
/// keepdims. As keras.layers.GlobalMaxPooling2D: where several are largest they share the gradient. Throws
/// InvalidArgument on an input of rank other than 4.
class GlobalMaxPooling2D : public LayerHandle {
 public:
  explicit GlobalMaxPooling2D(GlobalMaxPooling2DOptions options = {});
  static GlobalMaxPooling2D from_config(const Config& config);
};

}  // namespace tandem::layers
