#pragma once
#include <memory>

#include "tandem/network/network.h"

namespace tandem {

/// The same architecture with new layers and newly drawn weights; shared layers stay shared. As
/// keras.models.clone_model. Throws InvalidArgument naming a layer that cannot be made again.
std::shared_ptr<Network> clone_network(const Network& network);

}  // namespace tandem
