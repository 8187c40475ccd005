#pragma once
#include "tandem/core/tensor.h"

namespace tandem {

/// The larger or smaller value at each place of two tensors whose shapes fit together; NaN where one is NaN. Of two
/// equal values the first gets the gradient, as in TensorFlow, where LibTorch's own would divide it.
Tensor larger_of(const Tensor& a, const Tensor& b);
Tensor smaller_of(const Tensor& a, const Tensor& b);

}  // namespace tandem
