#pragma once
#include <cstddef>
#include <vector>

#include "tandem/layers/weight.h"
#include "tandem/network/network.h"

namespace tandem::distribute {

/// Indexes of `weights` in the order in which backward makes their gradients: the last layer's first. Found by
/// computing the network on zeros and looking at what autograd has recorded; weights that play no part come last.
std::vector<std::size_t> gradient_order(Network& network, const std::vector<Weight>& weights);

}  // namespace tandem::distribute
