#pragma once
#include <string>

#include "tandem/layers/activation_function.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct ActivationOptions {
  std::string name = {};
};

/// An activation function as a layer, by Keras's name or any callable Tensor(const Tensor&); the shape stays, except
/// for "glu", which halves the last axis. As keras.layers.Activation. Throws InvalidArgument on an unknown name,
/// proposing the nearest.
class Activation : public LayerHandle {
 public:
  explicit Activation(ActivationFunction activation, ActivationOptions options = {});
  static Activation from_config(const Config& config);
};

}  // namespace tandem::layers
