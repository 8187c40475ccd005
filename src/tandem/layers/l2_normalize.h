#pragma once
#include <c10/util/ArrayRef.h>

#include "tandem/core/tensor.h"

namespace tandem {

/// x / max(norm, epsilon) with the Euclidean norm over `axes`, as keras.ops.normalize. Where all is 0 it stays 0, with
/// a gradient that is a number.
Tensor l2_normalize(const Tensor& x, c10::IntArrayRef axes, double epsilon);

}  // namespace tandem
