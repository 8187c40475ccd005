#pragma once
#include <cstddef>

#include "tandem/distribution/replica.h"
#include "tandem/optimizers/optimizer.h"

namespace tandem::distribute {

/// What slot `slot` of a replica's optimizer holds of its weight `i`, as files have it.
inline Tensor slot_view(const Optimizer& optimizer, Replica& replica, std::size_t slot, std::size_t i) {
  const auto& own = replica.trainable;
  const Shape whole = own.weights()[i].shape();
  const Shape shape = optimizer.slot_shape(slot, whole);
  if (shape == whole) return own.view(replica.slots[slot], i);
  return replica.slots[slot].narrow(0, own.places()[i].offset, shape.count()).view(shape.sizes());
}

}  // namespace tandem::distribute
