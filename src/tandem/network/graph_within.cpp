#include "tandem/network/graph_within.h"

#include "tandem/network/chain.h"

namespace tandem {

const Graph* graph_within(const Layer& layer) {
  if (const auto* graph = dynamic_cast<const Graph*>(&layer)) return graph;
  if (const auto* chain = dynamic_cast<const Chain*>(&layer)) return chain->graph().get();
  const auto parts = layer.named_children();
  const bool is_its_child = parts.size() == 1 && parts.front().first.empty();  // how a model stands for its network
  return is_its_child ? graph_within(*parts.front().second) : nullptr;
}

}  // namespace tandem
