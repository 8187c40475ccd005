#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "tandem/core/tensor.h"

namespace tandem {

/// True when the tensors are of type `type`, on the CPU, without gaps, and hold their elements in one memory order, so
/// that element i of each data pointer belongs together: contiguous ones of any shapes, or dense ones of the same
/// strides.
bool same_flat_memory(std::span<const Tensor* const> tensors, at::ScalarType type);

/// Throws InvalidArgument in the name of `optimizer`, with both shapes, unless all have as many elements as the first.
void check_same_count(std::span<const Tensor* const> tensors, const std::string& optimizer);

}  // namespace tandem
