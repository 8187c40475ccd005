#pragma once
#include <ATen/core/Tensor.h>

namespace tandem::kernels {

/// Mean and biased variance of each channel, both float32 (channels,).
struct ChannelStatistics {
  at::Tensor mean, variance;
};

/// Of a tensor (..., channels) that has_channel_rows: all axes but the last are rows. Within 1e-6 of exact arithmetic,
/// also where the mean is far larger than the deviation: blocks of rows are summed about their own mean and put
/// together in float64 (after Chan, Golub and LeVeque 1983). The same to the bit for any number of threads. Throws
/// InvalidArgument on any other tensor.
ChannelStatistics channel_statistics(const at::Tensor& x);

}  // namespace tandem::kernels
