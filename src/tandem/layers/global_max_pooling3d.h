#pragma once
#include "tandem/layers/layer_handle.h"
#include "tandem/layers/pooling_options.h"

namespace tandem::layers {

using GlobalMaxPooling3DOptions = GlobalPoolingOptions;

/// Largest value of a volume: (batch, depth, height, width, channels) to (batch, channels), or (batch, 1, 1, 1,
/// channels) with keepdims. As keras.layers.GlobalMaxPooling3D: where several are largest they share the gradient.
/// Throws InvalidArgument on an input of rank other than 5.
class GlobalMaxPooling3D : public LayerHandle {
 public:
  explicit GlobalMaxPooling3D(GlobalMaxPooling3DOptions options = {});
  static GlobalMaxPooling3D from_config(const Config& config);
};

}  // namespace tandem::layers
