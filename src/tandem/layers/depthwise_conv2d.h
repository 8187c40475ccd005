#pragma once
#include <string>

#include "tandem/layers/activation_function.h"
#include "tandem/layers/layer_handle.h"
#include "tandem/layers/size2d.h"

namespace tandem::layers {

struct DepthwiseConv2DOptions {
  Size2D strides = 1;
  std::string padding = "valid";  // or "same"
  int64_t depth_multiplier = 1;
  Size2D dilation_rate = 1;
  ActivationFunction activation = {};
  bool use_bias = true;
  Handle<Initializer> depthwise_initializer = "glorot_uniform";
  Handle<Initializer> bias_initializer = "zeros";
  Handle<Regularizer> depthwise_regularizer = {};
  Handle<Regularizer> bias_regularizer = {};
  Handle<Regularizer> activity_regularizer = {};
  Handle<Constraint> depthwise_constraint = {};
  Handle<Constraint> bias_constraint = {};
  std::string name = {};
};

/// Convolution of images (batch, height, width, in) that keeps the channels apart, each with depth_multiplier kernels
/// of its own: (batch, height', width', in * depth_multiplier), the kernels of one channel side by side. Weights:
/// kernel (kernel height, kernel width, in, depth_multiplier), bias (in * depth_multiplier,). As
/// keras.layers.DepthwiseConv2D, channels last, padding as Conv2D's.
///
/// Throws InvalidArgument on sizes that are not positive, an unknown padding or activation, an input of rank other than
/// 4, with unknown channels, or smaller than the kernel under "valid".
class DepthwiseConv2D : public LayerHandle {
 public:
  explicit DepthwiseConv2D(Size2D kernel_size, DepthwiseConv2DOptions options = {});
  static DepthwiseConv2D from_config(const Config& config);
};

}  // namespace tandem::layers
