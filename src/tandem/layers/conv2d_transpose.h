#pragma once
#include "tandem/layers/convolution_options.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

using Conv2DTransposeOptions = TransposedConvolutionOptions<Size2D>;

/// The transposed convolution, which makes images (batch, height, width, in) larger: (batch, height', width', filters).
/// It is the gradient of the convolution that goes the other way, with that one's strides and padding. Weights: kernel
/// (kernel height, kernel width, filters, in), bias (filters,). As keras.layers.Conv2DTranspose on TensorFlow, channels
/// last. With the kernel's extent k = (size - 1) * dilation + 1 an axis of n becomes
///   "valid": n * stride + max(k - stride, 0), with output_padding p: (n - 1) * stride + k + p;
///   "same":  n * stride, with output_padding p: (n - 1) * stride + k % 2 + p.
///
/// Throws InvalidArgument on sizes that are not positive, strides together with dilation, an output_padding that is
/// negative, not below the stride, or 0 with an even extent under "same", an unknown padding or activation, and an
/// input of rank other than 4 or with unknown channels.
class Conv2DTranspose : public LayerHandle {
 public:
  Conv2DTranspose(int64_t filters, Size2D kernel_size, Conv2DTransposeOptions options = {});
  static Conv2DTranspose from_config(const Config& config);
};

}  // namespace tandem::layers
