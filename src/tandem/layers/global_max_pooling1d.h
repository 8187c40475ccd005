#pragma once
#include "tandem/layers/layer_handle.h"
#include "tandem/layers/pooling_options.h"

namespace tandem::layers {

using GlobalMaxPooling1DOptions = GlobalPoolingOptions;

/// Largest value of a sequence: (batch, steps, channels) to (batch, channels), or (batch, 1, channels) with keepdims.
/// As keras.layers.GlobalMaxPooling1D: where several are largest they share the gradient. Throws InvalidArgument on an
/// input of rank other than 3.
class GlobalMaxPooling1D : public LayerHandle {
 public:
  explicit GlobalMaxPooling1D(GlobalMaxPooling1DOptions options = {});
  static GlobalMaxPooling1D from_config(const Config& config);
};

}  // namespace tandem::layers
