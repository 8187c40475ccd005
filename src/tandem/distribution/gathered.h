#pragma once
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/core/tensor.h"

namespace tandem::distribute {

/// All ranks' `tensor`, in their order. Collective; they must be known to be alike in type and shape.
std::vector<Tensor> gathered(comm::Communicator& ranks, const Tensor& tensor);

}  // namespace tandem::distribute
