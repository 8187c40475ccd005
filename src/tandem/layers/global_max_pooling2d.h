#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct GlobalMaxPooling2DOptions {
  bool keepdims = false;
  std::string name = {};
};

/// Largest value of an image: (batch, height, width, channels) to (batch, channels), or (batch, 1, 1, channels) with
/// keepdims. As keras.layers.GlobalMaxPooling2D: where several are largest they share the gradient. Throws
/// InvalidArgument on an input of rank other than 4.
class GlobalMaxPooling2D : public LayerHandle {
 public:
  explicit GlobalMaxPooling2D(GlobalMaxPooling2DOptions options = {});
  static GlobalMaxPooling2D from_config(const Config& config);
};

}  // namespace tandem::layers
