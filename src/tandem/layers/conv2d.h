#pragma once
#include <string>

#include "tandem/layers/activation_function.h"
#include "tandem/layers/layer_handle.h"
#include "tandem/layers/size2d.h"

namespace tandem::layers {

struct Conv2DOptions {
  Size2D strides = 1;
  std::string padding = "valid";  // or "same"
  Size2D dilation_rate = 1;
  int64_t groups = 1;
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

/// Convolution of images (batch, height, width, in) with `filters` kernels of kernel_size: (batch, height', width',
/// filters). Weights: kernel (kernel height, kernel width, in / groups, filters), bias (filters,). As
/// keras.layers.Conv2D, channels last: "same" pads as TensorFlow does, the smaller half before.
///
/// Throws InvalidArgument on sizes that are not positive, strides together with dilation, filters or channels that
/// groups does not divide, an unknown padding or activation, an input of rank other than 4, with unknown channels, or
/// smaller than the kernel under "valid".
class Conv2D : public LayerHandle {
 public:
  Conv2D(int64_t filters, Size2D kernel_size, Conv2DOptions options = {});
  static Conv2D from_config(const Config& config);
};

}  // namespace tandem::layers
