#pragma once
#include "tandem/layers/convolution_options.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

using Conv2DOptions = ConvolutionOptions<Size2D>;

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
