#pragma once
#include "tandem/layers/convolution_options.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

using Conv1DOptions = ConvolutionOptions<Size1D>;

/// Convolution of sequences (batch, steps, in) with `filters` kernels of kernel_size: (batch, steps', filters).
/// Weights: kernel (kernel size, in / groups, filters), bias (filters,). As keras.layers.Conv1D, channels last: "same"
/// pads as TensorFlow does, the smaller half before. "causal" pads before alone, so that no output sees a later step.
///
/// Throws InvalidArgument on sizes that are not positive, strides together with dilation, filters or channels that
/// groups does not divide, an unknown padding or activation, an input of rank other than 3, with unknown channels, or
/// smaller than the kernel under "valid".
class Conv1D : public LayerHandle {
 public:
  Conv1D(int64_t filters, Size1D kernel_size, Conv1DOptions options = {});
  static Conv1D from_config(const Config& config);
};

}  // namespace tandem::layers
