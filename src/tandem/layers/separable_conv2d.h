#pragma once
#include "tandem/layers/convolution_options.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

using SeparableConv2DOptions = SeparableConvolutionOptions<Size2D>;

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
