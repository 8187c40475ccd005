#pragma once
#include <memory>

#include "tandem/layers/regularizer.h"

namespace tandem::sharding {

/// The penalty of a weight of which each rank of a tensor group has a part: the sum of `penalty` over the parts; its
/// gradient is each part's own.
std::shared_ptr<Regularizer> part_of_penalty(std::shared_ptr<Regularizer> penalty);

}  // namespace tandem::sharding
