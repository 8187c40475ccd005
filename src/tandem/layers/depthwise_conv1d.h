#pragma once
#include "tandem/layers/convolution_options.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

using DepthwiseConv1DOptions = DepthwiseConvolutionOptions<Size1D>;

/// Convolution of sequences (batch, steps, in) that keeps the channels apart, each with depth_multiplier kernels of its
/// own: (batch, steps', in * depth_multiplier), the kernels of one channel side by side. Weights: kernel (kernel size,
/// in, depth_multiplier), bias (in * depth_multiplier,). As keras.layers.DepthwiseConv1D, channels last, padding as
/// Conv1D's ("valid" or "same").
///
/// Throws InvalidArgument on sizes that are not positive, an unknown padding or activation, an input of rank other than
/// 3, with unknown channels, or smaller than the kernel under "valid".
class DepthwiseConv1D : public LayerHandle {
 public:
  explicit DepthwiseConv1D(Size1D kernel_size, DepthwiseConv1DOptions options = {});
  static DepthwiseConv1D from_config(const Config& config);
};

}  // namespace tandem::layers
