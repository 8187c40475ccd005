#pragma once
#include <string>

#include "tandem/layers/activation_function.h"
#include "tandem/layers/layer_handle.h"
#include "tandem/layers/size2d.h"

namespace tandem::layers {

struct SeparableConv2DOptions {
  Size2D strides = 1;
  std::string padding = "valid";  // or "same"
  Size2D dilation_rate = 1;
  int64_t depth_multiplier = 1;
  ActivationFunction activation = {};
  bool use_bias = true;
  Handle<Initializer> depthwise_initializer = "glorot_uniform";
  Handle<Initializer> pointwise_initializer = "glorot_uniform";
  Handle<Initializer> bias_initializer = "zeros";
  Handle<Regularizer> depthwise_regularizer = {};
  Handle<Regularizer> pointwise_regularizer = {};
  Handle<Regularizer> bias_regularizer = {};
  Handle<Regularizer> activity_regularizer = {};
  Handle<Constraint> depthwise_constraint = {};
  Handle<Constraint> pointwise_constraint = {};
  Handle<Constraint> bias_constraint = {};
  std::string name = {};
};

/// A depthwise convolution (DepthwiseConv2D, without bias) of images (batch, height, width, in), whose channels a
/// convolution of 1 x 1 then mixes: (batch, height', width', filters). Weights: depthwise_kernel (kernel height, kernel
/// width, in, depth_multiplier), pointwise_kernel (1, 1, in * depth_multiplier, filters), bias (filters,). As
/// keras.layers.SeparableConv2D, channels last.
///
/// Throws InvalidArgument on sizes that are not positive, an unknown padding or activation, an input of rank other than
/// 4, with unknown channels, or smaller than the kernel under "valid".
class SeparableConv2D : public LayerHandle {
 public:
  SeparableConv2D(int64_t filters, Size2D kernel_size, SeparableConv2DOptions options = {});
  static SeparableConv2D from_config(const Config& config);
};

}  // namespace tandem::layers
