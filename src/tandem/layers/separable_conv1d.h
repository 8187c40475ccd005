#pragma once
#include "tandem/layers/convolution_options.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

using SeparableConv1DOptions = SeparableConvolutionOptions<Size1D>;

/// A depthwise convolution (DepthwiseConv1D, without bias) of sequences (batch, steps, in), whose channels a
/// convolution of 1 then mixes: (batch, steps', filters). Weights: depthwise_kernel (kernel size, in,
/// depth_multiplier), pointwise_kernel (1, in * depth_multiplier, filters), bias (filters,). As
/// keras.layers.SeparableConv1D, channels last.
///
/// Throws InvalidArgument on sizes that are not positive, an unknown padding or activation, an input of rank other than
/// 3, with unknown channels, or smaller than the kernel under "valid".
class SeparableConv1D : public LayerHandle {
 public:
  SeparableConv1D(int64_t filters, Size1D kernel_size, SeparableConv1DOptions options = {});
  static SeparableConv1D from_config(const Config& config);
};

}  // namespace tandem::layers
