#pragma once
#include <cstdint>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/distribution/peers.h"

namespace tandem::distribute {

/// The outputs of a batch whose rows several processes computed, one after the other in the order of ranks. `rows`: of
/// each process; one without rows learns from the others what outputs there are. Collective. Throws InvalidArgument,
/// naming the ranks, where their outputs differ in type or in the shape of a row.
Tensors joined_outputs(Peers& peers, Peers::Topic& topic, const Tensors& own, const std::vector<int64_t>& rows);

}  // namespace tandem::distribute
