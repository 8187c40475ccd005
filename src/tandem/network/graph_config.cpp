// A graph as Keras's config of a functional model.
#include <algorithm>
#include <unordered_map>

#include "tandem/layers/call_arguments.h"
#include "tandem/layers/keras_calls.h"
#include "tandem/layers/layer_config.h"
#include "tandem/layers/operation.h"
#include "tandem/layers/shape_config.h"
#include "tandem/network/graph.h"
#include "tandem/network/tensor_structure.h"

namespace tandem {
namespace {

using CallNumbers = std::unordered_map<const Node*, int64_t>;

// Keras's name of the type of a call's outputs.
Config dtype_of(const Node& node) {
  if (node.is_input()) return node.layer->get_config().get("dtype", "float32");
  if (const auto* operation = dynamic_cast<const OperationLayer*>(node.layer.get())) return operation->kind().dtype;
  const auto& policy = node.layer->dtype_policy();
  return policy.mixed() ? policy.name().substr(std::string("mixed_").size()) : "float32";
}

Config tensor_config(const KerasTensor& tensor, const CallNumbers& numbers) {
  const auto& node = *tensor.node();
  const Config dtype = dtype_of(node);
  const Config history = Config::List{node.layer->name(), numbers.at(&node), tensor.index()};
  return Config::object(
      {{"class_name", "__keras_tensor__"},
       {"config",
        Config::object({{"shape", shape_to_config(tensor.shape())}, {"dtype", dtype}, {"keras_history", history}})}});
}

// A layer of several inputs gets them as one list, or the first alone and the others by a keyword.
Config call_config(const Node& node, const CallNumbers& numbers) {
  if (node.arguments) {
    const auto written = [&](const Config& value) {
      return with_tensors(
          value, [&](int64_t i) { return tensor_config(node.inputs.at(static_cast<std::size_t>(i)), numbers); });
    };
    return Config::object({{"args", written(node.arguments->args)}, {"kwargs", written(node.arguments->kwargs)}});
  }
  Config::List tensors;
  for (const auto& input : node.inputs) tensors.push_back(tensor_config(input, numbers));
  const auto count = tensors.size();
  const std::string keyword = keras_later_inputs(node.layer->class_name());
  if (count > 1 && !keyword.empty()) {
    Config keywords = keras_call_arguments(node.layer->class_name(), count);
    keywords.set(keyword, Config::List(tensors.begin() + 1, tensors.end()));
    return Config::object({{"args", Config::List{std::move(tensors.front())}}, {"kwargs", std::move(keywords)}});
  }
  Config argument = count == 1 ? std::move(tensors.front()) : Config(std::move(tensors));
  return Config::object(
      {{"args", Config::List{std::move(argument)}}, {"kwargs", keras_call_arguments(node.layer->class_name(), count)}});
}

Config reference(const KerasTensor& tensor, const CallNumbers& numbers) {
  // Here alone Keras counts the calls of a functional model from 1.
  const auto& node = *tensor.node();
  const int64_t first = node.layer->class_name() == "Functional" ? 1 : 0;
  return Config::List{node.layer->name(), first + numbers.at(&node), tensor.index()};
}

Config references(const KerasTensors& tensors, const Config& structure, const CallNumbers& numbers) {
  Config::List list;
  for (const auto& tensor : tensors) list.push_back(reference(tensor, numbers));
  if (!structure.is_null()) return structure_with_leaves(structure, list);
  return list.size() == 1 ? list.front() : Config(std::move(list));
}

}  // namespace

void Graph::set_structure(Config inputs, Config outputs) {
  input_structure_ = std::move(inputs);
  output_structure_ = std::move(outputs);
}

Config Graph::get_config() const {
  std::unordered_map<const Layer*, std::vector<const Node*>> calls;
  for (const auto& node : order_.nodes) calls[node->layer.get()].push_back(node.get());
  CallNumbers numbers;
  for (auto& [layer, nodes] : calls) {
    std::sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) { return a->number < b->number; });
    for (std::size_t i = 0; i < nodes.size(); ++i) numbers[nodes[i]] = static_cast<int64_t>(i);
  }
  Config::List layers;
  for (const auto& layer : order_.layers) {
    Config entry = layer_to_config(*layer);
    entry.set("name", layer->name());
    Config::List inbound;
    for (const Node* node : calls[layer.get()]) {
      if (!node->is_input()) inbound.push_back(call_config(*node, numbers));
    }
    entry.set("inbound_nodes", std::move(inbound));
    layers.push_back(std::move(entry));
  }
  return Config::object({{"layers", std::move(layers)},
                         {"input_layers", references(inputs_, input_structure_, numbers)},
                         {"output_layers", references(outputs_, output_structure_, numbers)}});
}

}  // namespace tandem
