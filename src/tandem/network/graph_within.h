#pragma once
#include "tandem/network/graph.h"

namespace tandem {

/// The graph that a call of `layer` runs and nothing else: its own where it is a functional model, a built
/// Sequential's, that of the network behind a model; null for other layers.
const Graph* graph_within(const Layer& layer);

/// True where graph_within gives one, or will once the layer is built.
bool may_become_graph(const Layer& layer);

}  // namespace tandem
