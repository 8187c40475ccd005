#pragma once
#include "tandem/core/tensor.h"

namespace tandem::data {

/// One row: its tensors without the batch axis.
struct Example {
  Tensors x = {};
  Tensors y = {};
  Tensor weight = {};    // scalar, or one a step; undefined: 1
  Tensors weights = {};  // by output, where outputs weigh differently: instead of weight
};

}  // namespace tandem::data
