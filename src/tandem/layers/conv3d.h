#pragma once
#include "tandem/layers/convolution_options.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

using Conv3DOptions = ConvolutionOptions<Size3D>;

/// Convolution of volumes (batch, depth, height, width, in) with `filters` kernels of kernel_size: (batch, depth',
/// height', width', filters). Weights: kernel (kernel depth, kernel height, kernel width, in / groups, filters), bias
/// (filters,). As keras.layers.Conv3D, channels last: "same" pads as TensorFlow does, the smaller half before.
///
/// Throws InvalidArgument on sizes that are not positive, strides together with dilation, filters or channels that
/// groups does not divide, an unknown padding or activation, an input of rank other than 5, with unknown channels, or
/// smaller than the kernel under "valid".
class Conv3D : public LayerHandle {
 public:
  Conv3D(int64_t filters, Size3D kernel_size, Conv3DOptions options = {});
  static Conv3D from_config(const Config& config);
};

}  // namespace tandem::layers
