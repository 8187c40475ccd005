#pragma once
#include <ATen/core/Tensor.h>

namespace tandem::kernels {

/// How each channel is normalised: (x - mean) * inverse_deviation * gamma + beta. All float32 CPU tensors (channels,);
/// gamma and beta may be undefined, which is 1 and 0.
struct ChannelNorm {
  at::Tensor mean, inverse_deviation, gamma, beta;
};

/// max(0, normalised x) in one pass over memory, contiguous and of the shape of x (..., channels), which must
/// has_channel_rows. NaN stays NaN, as in at::relu. Throws InvalidArgument on tensors that do not fit.
at::Tensor batch_norm_relu(const at::Tensor& x, const ChannelNorm& norm);

/// Of the inputs of batch_norm_relu: x as its shape, the others (channels,).
struct BatchNormReluGradients {
  at::Tensor x, gamma, beta;
};

/// From the gradient of the output, in two passes over x and it. With `from_batch` mean and deviation came from x
/// itself (Ioffe and Szegedy 2015), else they are constants. Which outputs were 0 is computed again from x, which has
/// to be read anyway. Throws InvalidArgument on tensors that do not fit; x and `gradient` must have_channel_rows.
BatchNormReluGradients batch_norm_relu_backward(const at::Tensor& gradient, const at::Tensor& x,
                                                const ChannelNorm& norm, bool from_batch);

}  // namespace tandem::kernels
