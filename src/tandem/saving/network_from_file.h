#pragma once
#include <cstdint>
#include <memory>

#include "tandem/core/config.h"
#include "tandem/network/network.h"

namespace tandem::saving {

/// The network of a model's entry in a file (network/network_config.h), before its weights are read. Layers that hold
/// code are refused, and weights that are larger than what `weight_bytes` of a file can hold, so that a small file
/// takes little memory whatever shapes it declares. Throws DataError that names the place in the config.
std::shared_ptr<Network> network_from_file(const Config& entry, int64_t weight_bytes);

}  // namespace tandem::saving
