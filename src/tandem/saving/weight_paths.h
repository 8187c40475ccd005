#pragma once
#include <vector>

#include "tandem/network/network.h"
#include "tandem/saving/legacy_names.h"

namespace tandem::saving {

/// The network's weights, each once, under Keras's weight paths (keras.Variable.path): names of layers from the outside
/// in, then the weight's, "dense/kernel", "block/dense/kernel". As in Keras a Sequential and a subclassed model stand
/// in front of what is theirs, and a functional model does not: its layers are built before it is. Where that gives two
/// weights one path, the later one gets "_1". In the order in which Keras walks the layers.
std::vector<NamedWeight> weight_paths(const Network& network);

}  // namespace tandem::saving
