#include "tandem/network/graph_order.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "tandem/core/error.h"

namespace tandem {
namespace {

using NodePtr = std::shared_ptr<const Node>;

// Depth-first from the outputs: nodes in the order in which they are finished, layers in the order of their first
// visit. A node is made after its inputs, so a graph has no cycles.
class Walk {
 public:
  explicit Walk(const KerasTensors& inputs) : inputs_(inputs) {}

  void visit(const KerasTensor& tensor) {
    const auto& node = tensor.node();
    if (finished_.count(node.get())) return;
    const bool declared = std::find(inputs_.begin(), inputs_.end(), tensor) != inputs_.end();
    if (node->is_input() && !declared) {
      throw InvalidArgument(c10::str("model: graph is disconnected, input '", node->layer->name(), "' of shape ",
                                     tensor.shape(),
                                     " is needed for the outputs and must be among the model's inputs"));
    }
    first_visit_.try_emplace(node->layer.get(), static_cast<int64_t>(first_visit_.size()));
    if (!declared) {
      for (const auto& input : node->inputs) visit(input);
    }
    finished_.insert(node.get());
    nodes_.push_back(node);
  }

  const std::vector<NodePtr>& nodes() const { return nodes_; }
  int64_t first_visit(const Layer* layer) const {
    const auto found = first_visit_.find(layer);
    return found == first_visit_.end() ? -1 : found->second;
  }

 private:
  const KerasTensors& inputs_;
  std::set<const Node*> finished_;
  std::vector<NodePtr> nodes_;
  std::unordered_map<const Layer*, int64_t> first_visit_;
};

void check_names(const std::vector<std::shared_ptr<Layer>>& layers) {
  std::set<std::string> names;
  for (const auto& layer : layers) {
    if (!names.insert(layer->name()).second) {
      throw InvalidArgument(
          c10::str("model: the name '", layer->name(), "' is used by more than one layer; names must be unique"));
    }
  }
}

}  // namespace

GraphOrder order_graph(const KerasTensors& inputs, const KerasTensors& outputs) {
  if (inputs.empty() || outputs.empty()) throw InvalidArgument("model: must have at least one input and one output");
  for (const auto& input : inputs) {
    if (!input.node()->is_input()) {
      throw InvalidArgument(
          c10::str("model: inputs must come from Input, got the output of layer '", input.node()->layer->name(), "'"));
    }
  }
  Walk walk(inputs);
  for (const auto& output : outputs) walk.visit(output);

  // Distance from the outputs: a layer that is used at several places counts at the farthest.
  std::unordered_map<const Node*, int64_t> node_depth;
  std::unordered_map<const Layer*, int64_t> layer_depth;
  std::vector<std::shared_ptr<Layer>> layers;
  for (auto it = walk.nodes().rbegin(); it != walk.nodes().rend(); ++it) {
    const auto& node = *it;
    if (!layer_depth.count(node->layer.get())) layers.push_back(node->layer);
    const int64_t depth = std::max(node_depth[node.get()], layer_depth[node->layer.get()]);
    node_depth[node.get()] = layer_depth[node->layer.get()] = depth;
    for (const auto& input : node->inputs) {
      auto& above = node_depth[input.node().get()];
      above = std::max(above, depth + 1);
    }
  }
  GraphOrder order{walk.nodes(), {}};
  for (const auto& input : inputs) {  // an input that no output needs stays an input
    if (!layer_depth.count(input.node()->layer.get())) {
      layer_depth[input.node()->layer.get()] = 0;
      layers.push_back(input.node()->layer);
      order.nodes.push_back(input.node());
    }
  }
  std::stable_sort(layers.begin(), layers.end(), [&](const auto& a, const auto& b) {
    const auto da = layer_depth[a.get()], db = layer_depth[b.get()];
    return da != db ? da > db : walk.first_visit(a.get()) < walk.first_visit(b.get());
  });
  order.layers = std::move(layers);
  check_names(order.layers);
  return order;
}

}  // namespace tandem
