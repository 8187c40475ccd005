#pragma once
#include <vector>

#include "tandem/core/tensor.h"

/// The kernel of a depthwise convolution: (height, width, in, depth multiplier), in memory as (in, depth multiplier,
/// height, width), so that LibTorch's (in * depth multiplier, 1, height, width) is a view of it.
namespace tandem {

inline const std::vector<int64_t> kDepthwiseMemoryOrder = {2, 3, 0, 1};

inline Tensor depthwise_kernel_view(const Tensor& kernel) {
  return kernel.permute({2, 3, 0, 1}).flatten(0, 1).unsqueeze(1);
}

}  // namespace tandem
