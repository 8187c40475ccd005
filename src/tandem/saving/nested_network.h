#pragma once
#include "tandem/network/network.h"

namespace tandem::saving {

/// The network that a layer is, or that it stands in for as its only child, as a model within a model does; null for
/// another layer.
const Network* nested_network(const Layer& layer);

}  // namespace tandem::saving
