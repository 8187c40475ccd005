#pragma once
#include "tandem/core/tensor.h"

namespace tandem {

/// `x` (rows, steps, ...) with axes of size 1 behind its own until it has `rank` of them: a factor for tensors of that
/// rank. As it is where it has as many.
inline Tensor with_trailing_axes(Tensor x, int64_t rank) {
  while (x.dim() < rank) x = x.unsqueeze(-1);
  return x;
}

}  // namespace tandem
