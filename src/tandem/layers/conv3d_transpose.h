#pragma once
#include "tandem/layers/convolution_options.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

using Conv3DTransposeOptions = TransposedConvolutionOptions<Size3D>;

/// The transposed convolution, which makes volumes (batch, depth, height, width, in) larger: (batch, depth', height',
/// width', filters). It is the gradient of the convolution that goes the other way, with that one's strides and
/// padding. Weights: kernel (kernel depth, kernel height, kernel width, filters, in), bias (filters,). As
/// keras.layers.Conv3DTranspose on TensorFlow, channels last. With the kernel's extent k = (size - 1) * dilation + 1 an
/// axis of n becomes
///   "valid": n * stride + max(k - stride, 0), with output_padding p: (n - 1) * stride + k + p;
///   "same":  n * stride, with output_padding p: (n - 1) * stride + k % 2 + p.
///
/// Throws InvalidArgument on sizes that are not positive, strides together with dilation, an output_padding that is
/// negative, not below the stride, or 0 with an even extent under "same", an unknown padding or activation, and an
/// input of rank other than 5 or with unknown channels.
class Conv3DTranspose : public LayerHandle {
 public:
  Conv3DTranspose(int64_t filters, Size3D kernel_size, Conv3DTransposeOptions options = {});
  static Conv3DTranspose from_config(const Config& config);
};

}  // namespace tandem::layers
