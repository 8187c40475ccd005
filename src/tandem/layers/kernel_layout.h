#pragma once
#include <c10/util/SmallVector.h>

#include <vector>

#include "tandem/core/tensor.h"

/// How the kernels of convolutions lie in memory: as LibTorch wants them, so that what it gets is a view of the weight.
namespace tandem {

/// Of a kernel (spatial axes, a, b) that lies in memory as (b, spatial axes, a): LibTorch's channels-last layout.
inline std::vector<int64_t> channels_last_kernel(std::size_t rank) {
  std::vector<int64_t> order{static_cast<int64_t>(rank) + 1};
  for (std::size_t axis = 0; axis <= rank; ++axis) order.push_back(static_cast<int64_t>(axis));
  return order;
}

/// (spatial axes, a, b) as (b, a, spatial axes).
inline Tensor kernel_view(const Tensor& kernel) {
  c10::SmallVector<int64_t, 5> order{kernel.dim() - 1, kernel.dim() - 2};
  for (int64_t axis = 0; axis < kernel.dim() - 2; ++axis) order.push_back(axis);
  return kernel.permute(order);
}

/// Of a depthwise kernel (spatial axes, in, depth multiplier) that lies in memory as (in, depth multiplier, spatial
/// axes).
inline std::vector<int64_t> depthwise_kernel_order(std::size_t rank) {
  std::vector<int64_t> order{static_cast<int64_t>(rank), static_cast<int64_t>(rank) + 1};
  for (std::size_t axis = 0; axis < rank; ++axis) order.push_back(static_cast<int64_t>(axis));
  return order;
}

/// (spatial axes, in, depth multiplier) as (in * depth multiplier, 1, spatial axes).
inline Tensor depthwise_kernel_view(const Tensor& kernel) {
  c10::SmallVector<int64_t, 5> order{kernel.dim() - 2, kernel.dim() - 1};
  for (int64_t axis = 0; axis < kernel.dim() - 2; ++axis) order.push_back(axis);
  return kernel.permute(order).flatten(0, 1).unsqueeze(1);
}

}  // namespace tandem
