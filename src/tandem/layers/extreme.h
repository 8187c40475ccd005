#pragma once
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem {

/// The larger or smaller value at each place of two tensors whose shapes fit together; NaN where one is NaN. Of two
/// equal values the first gets the gradient, as in TensorFlow, where LibTorch's own would divide it.
Tensor larger_of(const Tensor& a, const Tensor& b);
Tensor smaller_of(const Tensor& a, const Tensor& b);

/// larger_of or smaller_of all inputs, which are of one rank. As Keras does, a step that an input's mask leaves out
/// takes no part in the choice.
Tensor extreme_of(const std::vector<Tensor>& inputs, Tensor (*choose)(const Tensor&, const Tensor&));

}  // namespace tandem
