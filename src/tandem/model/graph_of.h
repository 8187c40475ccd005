#pragma once
#include <string>

#include "tandem/network/graph.h"

namespace tandem {

/// The graph behind a network: a functional model's own, a Sequential's once it is built; null for a model that was
/// written as a class.
const Graph* graph_of(const Network& network);

/// "(None, 4)"; of a node with several outputs "[(None, 4), (None, 2)]".
std::string output_shape_text(const Node& node);

}  // namespace tandem
