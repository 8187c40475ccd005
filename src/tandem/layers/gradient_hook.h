#pragma once
#include "tandem/core/tensor.h"

namespace tandem {

/// From now on what waits for the gradient of `value`, a leaf, hears of it when `stand_in` has got its gradient in
/// backward: for a leaf of the same memory that computes in place of `value`. Nothing waits: nothing happens.
void pass_on_gradients(const Tensor& stand_in, const Tensor& value);

}  // namespace tandem
