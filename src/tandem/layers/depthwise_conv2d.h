#pragma once
#include "tandem/layers/convolution_options.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

using DepthwiseConv2DOptions = DepthwiseConvolutionOptions<Size2D>;

/// Convolution of images (batch, height, width, in) that keeps the channels apart, each with depth_multiplier kernels
/// of its own: (batch, height', width', in * depth_multiplier), the kernels of one channel side by side. Weights:
/// kernel (kernel height, kernel width, in, depth_multiplier), bias (in * depth_multiplier,). As
/// keras.layers.DepthwiseConv2D, channels last, padding as Conv2D's ("valid" or "same").
///
/// Throws InvalidArgument on sizes that are not positive, an unknown padding or activation, an input of rank other than
/// 4, with unknown channels, or smaller than the kernel under "valid".
class DepthwiseConv2D : public LayerHandle {
 public:
  explicit DepthwiseConv2D(Size2D kernel_size, DepthwiseConv2DOptions options = {});
  static DepthwiseConv2D from_config(const Config& config);
};

}  // namespace tandem::layers
