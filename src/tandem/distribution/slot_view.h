#pragma once
#include <cstddef>

#include "tandem/layers/weight.h"
#include "tandem/optimizers/optimizer.h"

namespace tandem::distribute {

/// What slot `slot` of an optimizer, whose values of all weights are in `memory`, holds of a weight that lies at
/// `offset` there, as files have it.
inline Tensor slot_view(const Optimizer& optimizer, const Tensor& memory, std::size_t slot, const Weight& weight,
                        int64_t offset) {
  const Shape shape = optimizer.slot_shape(slot, weight.shape());
  if (shape != weight.shape()) return memory.narrow(0, offset, shape.count()).view(shape.sizes());
  const auto& master = weight.variable().value;
  return memory.as_strided(master.sizes(), master.strides(), memory.storage_offset() + offset);
}

}  // namespace tandem::distribute
