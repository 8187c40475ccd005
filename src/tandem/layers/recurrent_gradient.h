#pragma once
#include <ATen/ops/mm.h>

#include "tandem/core/tensor.h"

namespace tandem {

/// The gradient of a recurrent kernel (units, n) as one product over all steps: `first` (rows, units) is the state
/// before the first step, `states` (steps, rows, units) those after each, `sums` (steps, rows, n) the gradients of what
/// the states before were multiplied to.
inline Tensor recurrent_gradient(const Tensor& first, const Tensor& states, const Tensor& sums) {
  Tensor gradient = at::mm(first.t(), sums[0]);
  const int64_t later = states.size(0) - 1;
  if (later > 0) {
    const Tensor before = states.narrow(0, 0, later).flatten(0, 1);
    gradient.addmm_(before.t(), sums.narrow(0, 1, later).flatten(0, 1));
  }
  return gradient;
}

}  // namespace tandem
