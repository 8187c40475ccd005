#include "tandem/network/graph_within.h"

#include "tandem/network/chain.h"

namespace tandem {

namespace {

// The layer, or what a model stands for.
const Layer& network_behind(const Layer& layer) {
  const auto parts = layer.named_children();
  const bool is_its_child = parts.size() == 1 && parts.front().first.empty();  // how a model stands for its network
  return is_its_child ? network_behind(*parts.front().second) : layer;
}

}  // namespace

const Graph* graph_within(const Layer& layer) {
  const Layer& network = network_behind(layer);
  if (const auto* chain = dynamic_cast<const Chain*>(&network)) return chain->graph().get();
  return dynamic_cast<const Graph*>(&network);
}

bool may_become_graph(const Layer& layer) {
  const auto* chain = dynamic_cast<const Chain*>(&network_behind(layer));
  return (chain && !chain->built()) || graph_within(layer);
}

}  // namespace tandem
