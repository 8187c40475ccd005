#pragma once
#include <c10/util/ArrayRef.h>

#include <cstdint>

#include "tandem/core/tensor.h"

namespace tandem {

/// Each element along spatial axis i of x (rows, spatial axes, channels) factors[i] times, side by side; contiguous, in
/// one copy.
Tensor repeat_axes(const Tensor& x, c10::ArrayRef<int64_t> factors);

}  // namespace tandem
