#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace tandem::kernels {

/// A float32 CPU tensor (..., channels) seen as a matrix: all axes but the last are rows.
struct ChannelRows {
  const float* data;
  int64_t count, channels;
  int64_t stride;  // values from one row to the next: above `channels` where the tensor is a slice of wider rows

  const float* row(int64_t i) const { return data + i * stride; }
  /// The rows [first, end).
  ChannelRows part(int64_t first, int64_t end) const { return {row(first), end - first, channels, stride}; }
};

/// True for a float32 CPU tensor with at least one value whose rows lie in memory at equal distances: contiguous ones,
/// and slices of the last axis, as the parts of a concatenation's gradient are.
bool has_channel_rows(const at::Tensor& x);

/// Throws InvalidArgument, naming `what`, when the tensor has no channel rows.
ChannelRows channel_rows(const at::Tensor& x, const char* what);

}  // namespace tandem::kernels
