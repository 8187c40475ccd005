#pragma once
#include <cstdint>
#include <string>

#include "tandem/network/network.h"

namespace tandem::sharding {

struct LocalNetwork;

/// A table of what becomes of each layer with weights, and of each call with an exchange, when `network` is divided
/// over `ranks` devices: how it is split or why it is whole on each, and the exchanges of its calls: "enter" (a sum in
/// backward), "sum" (in forward), "gather" (its part in backward). Throws InvalidArgument as TensorParallel does where
/// the model is no graph.
std::string tensor_plan(const Network& network, int64_t ranks);
std::string tensor_plan(const LocalNetwork& local, const Network& network, int64_t ranks);

}  // namespace tandem::sharding
