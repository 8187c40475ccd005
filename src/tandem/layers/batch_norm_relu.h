#pragma once
#include <optional>

#include "tandem/core/tensor.h"
#include "tandem/kernels/channel_statistics.h"

namespace tandem {

/// True when batch_norm_relu takes x (..., channels): its kernels want float32 on the CPU, at least one value, and rows
/// at equal distances in memory.
bool can_fuse_relu(const Tensor& x);

/// max(0, gamma (x - mean) / sqrt(variance + epsilon) + beta) with gradients, in one pass forward and two backward
/// where LibTorch's two operators make four and five. gamma and beta may be absent: 1 and 0. `from_batch`: the
/// statistics are those of x, and its gradient goes through them. A gradient that is itself to be differentiated
/// (create_graph) is made of LibTorch's operators.
Tensor batch_norm_relu(const Tensor& x, const std::optional<Tensor>& gamma, const std::optional<Tensor>& beta,
                       const kernels::ChannelStatistics& statistics, double epsilon, bool from_batch);

}  // namespace tandem
