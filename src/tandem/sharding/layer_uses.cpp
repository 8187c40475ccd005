#include "tandem/sharding/layer_uses.h"

#include "tandem/network/graph_within.h"

namespace tandem::sharding {

LayerUses::LayerUses(const Graph& graph) { add(graph); }

void LayerUses::add(const Graph& graph) {
  for (const auto& node : graph.nodes()) {
    if (node->is_input()) continue;
    const Layer& layer = *node->layer;
    if (const auto* within = graph_within(layer)) {
      add(*within);
      continue;
    }
    Use use{.outputs = node->output_shapes.size()};
    for (const auto& input : node->inputs) use.inputs.push_back(input.shape());
    const auto [found, first] = uses_.emplace(&layer, use);
    if (!first) {
      found->second.alike &= found->second.inputs == use.inputs && found->second.outputs == use.outputs;
      continue;
    }
    for (const auto& weight : layer.weights()) {
      const auto* other = owners_.emplace(&weight.variable(), &layer).first->second;
      if (other == &layer) continue;
      shares_with_[&layer] = other;
      shares_with_[other] = &layer;
    }
  }
}

std::string LayerUses::why_whole(const Layer& layer) const {
  if (const auto found = shares_with_.find(&layer); found != shares_with_.end())
    return "shares weights with '" + found->second->name() + "'";
  const auto use = uses_.find(&layer);
  return use != uses_.end() && !use->second.alike ? "is called with several shapes" : "";
}

}  // namespace tandem::sharding
