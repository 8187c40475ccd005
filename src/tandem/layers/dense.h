#pragma once
#include <string>

#include "tandem/layers/activation_function.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct DenseOptions {
  ActivationFunction activation = {};
  bool use_bias = true;
  Handle<Initializer> kernel_initializer = "glorot_uniform";
  Handle<Initializer> bias_initializer = "zeros";
  Handle<Regularizer> kernel_regularizer = {};
  Handle<Regularizer> bias_regularizer = {};
  Handle<Regularizer> activity_regularizer = {};
  Handle<Constraint> kernel_constraint = {};
  Handle<Constraint> bias_constraint = {};
  std::string name = {};
};

/// activation(x kernel + bias) over the last axis: (batch, ..., in) to (batch, ..., units). Weights: kernel (in,
/// units), bias (units,). As keras.layers.Dense.
///
/// Throws InvalidArgument when units is not positive, the activation is unknown, or the input has rank below 2 or a
/// last axis that is unknown or another than the one it was built for.
class Dense : public LayerHandle {
 public:
  explicit Dense(int64_t units, DenseOptions options = {});
  static Dense from_config(const Config& config);
};

}  // namespace tandem::layers
