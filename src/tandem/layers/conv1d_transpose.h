#pragma once
#include "tandem/layers/convolution_options.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

using Conv1DTransposeOptions = TransposedConvolutionOptions<Size1D>;

/// The transposed convolution, which makes sequences (batch, steps, in) larger: (batch, steps', filters). It is the
/// gradient of the convolution that goes the other way, with that one's strides and padding. Weights: kernel (kernel
/// size, filters, in), bias (filters,). As keras.layers.Conv1DTranspose on TensorFlow, channels last. With the kernel's
/// extent k = (size - 1) * dilation + 1 an axis of n becomes
///   "valid": n * stride + max(k - stride, 0), with output_padding p: (n - 1) * stride + k + p;
///   "same":  n * stride, with output_padding p: (n - 1) * stride + k % 2 + p.
///
/// Throws InvalidArgument on sizes that are not positive, strides together with dilation, an output_padding that is
/// negative, not below the stride, or 0 with an even extent under "same", an unknown padding or activation, and an
/// input of rank other than 3 or with unknown channels.
class Conv1DTranspose : public LayerHandle {
 public:
  Conv1DTranspose(int64_t filters, Size1D kernel_size, Conv1DTransposeOptions options = {});
  static Conv1DTranspose from_config(const Config& config);
};

}  // namespace tandem::layers
