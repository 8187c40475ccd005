#pragma once
#include <string>

#include "tandem/layers/activation_function.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct EinsumDenseOptions {
  ActivationFunction activation = {};
  std::string bias_axes = {};  // axes of the output, "de"; empty: no bias
  Handle<Initializer> kernel_initializer = "glorot_uniform";
  Handle<Initializer> bias_initializer = "zeros";
  Handle<Regularizer> kernel_regularizer = {};
  Handle<Regularizer> bias_regularizer = {};
  Handle<Regularizer> activity_regularizer = {};
  Handle<Constraint> kernel_constraint = {};
  Handle<Constraint> bias_constraint = {};
  std::string name = {};
};

/// activation(einsum(equation, x, kernel) + bias): `EinsumDense("abc,cde->abde", {-1, 2, 5}, {.bias_axes = "de"})`.
/// output_shape is that of a row; -1 stands for a size that is the input's. "..." stands for any axes that stay.
/// Weights: kernel with the sizes of its axes, bias with those of bias_axes and ones. As keras.layers.EinsumDense, with
/// its fans for the kernel's first values.
///
/// Throws InvalidArgument on an equation of another form, on bias axes that are not the output's, an unknown
/// activation, and on an input whose rank or sizes do not fit.
class EinsumDense : public LayerHandle {
 public:
  EinsumDense(std::string equation, Shape output_shape, EinsumDenseOptions options = {});
  static EinsumDense from_config(const Config& config);
};

}  // namespace tandem::layers
