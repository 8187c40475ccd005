#include "tandem/network/clone.h"

#include <unordered_map>

#include "tandem/core/error.h"
#include "tandem/layers/layer_calls.h"
#include "tandem/network/chain.h"
#include "tandem/network/graph.h"

namespace tandem {
namespace {

// An Input of its own with the shape, name and place of `node`'s.
KerasTensor clone_input(const Node& node, const std::shared_ptr<Layer>& layer) {
  auto copy = std::make_shared<Node>();
  copy->layer = layer;
  copy->output_shapes = node.output_shapes;
  copy->device = node.device;
  copy->layer->ensure_built(copy->output_shapes);
  return KerasTensor(copy, 0);
}

// A model within a model is cloned as one, other layers are made again.
std::shared_ptr<Layer> clone_layer(const Layer& layer) {
  if (const auto* graph = dynamic_cast<const Graph*>(&layer)) return clone_network(*graph);
  if (const auto* chain = dynamic_cast<const Chain*>(&layer)) return clone_network(*chain);
  return layer.fresh_copy();
}

std::shared_ptr<Network> clone_graph(const Graph& graph) {
  std::unordered_map<const Layer*, LayerHandle> copies;
  std::unordered_map<const Node*, std::vector<KerasTensor>> made;
  const auto moved = [&](const KerasTensor& t) { return made.at(t.node().get())[static_cast<std::size_t>(t.index())]; };
  // In Keras's order of layers, so that a copy draws its numbers in the order in which it lists its weights.
  for (const auto& layer : graph.layers()) copies.emplace(layer.get().get(), LayerHandle(clone_layer(*layer)));
  for (const auto& node : graph.nodes()) {
    const auto& layer = copies.at(node->layer.get());
    if (node->is_input()) {
      made[node.get()] = {clone_input(*node, layer.get())};
      continue;
    }
    std::vector<KerasTensor> inputs;
    for (const auto& input : node->inputs) inputs.push_back(moved(input));
    std::optional<DeviceScope> scope;
    if (node->device) scope.emplace(*node->device);
    made[node.get()] = call_in_graph(layer.get(), inputs, node->arguments);
  }
  std::vector<KerasTensor> inputs, outputs;
  for (const auto& t : graph.inputs()) inputs.push_back(moved(t));
  for (const auto& t : graph.outputs()) outputs.push_back(moved(t));
  auto copy = std::make_shared<Graph>(inputs, outputs);
  copy->set_structure(graph.input_structure(), graph.output_structure());
  return copy;
}

std::shared_ptr<Network> clone_chain(const Chain& chain) {
  auto copy = std::make_shared<Chain>();
  if (chain.input()) {
    const auto& node = *chain.input()->node();
    copy->add(clone_input(node, node.layer->fresh_copy()));
  }
  for (const auto& layer : chain.layers()) copy->add(LayerHandle(clone_layer(*layer)));
  return copy;
}

}  // namespace

std::shared_ptr<Network> clone_network(const Network& network) {
  std::shared_ptr<Network> copy;
  if (const auto* chain = dynamic_cast<const Chain*>(&network)) {
    copy = clone_chain(*chain);
  } else if (const auto* graph = dynamic_cast<const Graph*>(&network)) {
    copy = clone_graph(*graph);
  } else {
    copy = std::dynamic_pointer_cast<Network>(network.fresh_copy());
    if (!network.input_shapes().empty()) copy->ensure_built(network.input_shapes());
  }
  copy->set_name(network.name());
  if (!network.trainable()) copy->set_trainable(false);  // what is frozen inside was copied with its layer
  return copy;
}

}  // namespace tandem
