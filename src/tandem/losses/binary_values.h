#pragma once
#include "tandem/core/tensor.h"

namespace tandem {

/// -truth * log(p) - (1 - truth) * log(1 - p) for each value, with p clipped to [1e-7, 1 - 1e-7].
Tensor binary_values(const Tensor& truth, const Tensor& p);
/// The same for p = sigmoid(logits), without clipping.
Tensor binary_values_of_logits(const Tensor& truth, const Tensor& logits);

}  // namespace tandem
