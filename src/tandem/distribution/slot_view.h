#pragma once
#include <cstddef>

#include "tandem/distribution/replica.h"
#include "tandem/optimizers/optimizer.h"

namespace tandem::distribute {

/// What slot `slot` of a replica's optimizer holds of a weight that lies at `offset` of the slots, as files have it.
inline Tensor slot_view(const Optimizer& optimizer, const Replica& replica, std::size_t slot, const Weight& weight,
                        int64_t offset) {
  const Shape shape = optimizer.slot_shape(slot, weight.shape());
  const Tensor& memory = replica.slots[slot];
  if (shape != weight.shape()) return memory.narrow(0, offset, shape.count()).view(shape.sizes());
  const auto& master = weight.variable().value;
  return memory.as_strided(master.sizes(), master.strides(), memory.storage_offset() + offset);
}

}  // namespace tandem::distribute
