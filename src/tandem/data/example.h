#pragma once
#include "tandem/core/tensor.h"

namespace tandem::data {

/// One row: its tensors without the batch axis.
struct Example {
  Tensors x = {};
  Tensors y = {};
  Tensor weight = {};  // scalar; undefined: 1
};

}  // namespace tandem::data
