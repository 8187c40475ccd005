#include "tandem/network/chain.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/layers/input.h"
#include "tandem/layers/layer_config.h"
#include "tandem/layers/shape_config.h"

namespace tandem {
namespace {

// True when `layer` is `part` or has it somewhere within.
bool contains(const Layer& layer, const Layer* part) {
  if (&layer == part) return true;
  const auto children = layer.children();
  return std::any_of(children.begin(), children.end(), [&](const auto& child) { return contains(*child, part); });
}

}  // namespace

void Chain::add(const KerasTensor& input) {
  if (input_ || !layers_.empty())
    throw InvalidArgument(c10::str("Sequential '", name(), "': Input must come first and once"));
  if (!input.node()->is_input())
    throw InvalidArgument(c10::str("Sequential '", name(), "': must get layers and an Input, got a layer's output"));
  input_ = input;
}

void Chain::add(const LayerHandle& layer) {
  if (contains(*layer, this)) throw InvalidArgument(c10::str("Sequential '", name(), "': must not be added to itself"));
  const auto& added = layer->name();  // an automatic name counts layers in the order in which they are added
  for (const auto& other : layers_) {
    if (other->name() == added) {
      throw InvalidArgument(c10::str("Sequential '", name(), "': the name '", added,
                                     "' is used by more than one layer; names must be unique"));
    }
  }
  layers_.push_back(layer);
  if (!input_) return;
  try {
    rebuild();
  } catch (...) {  // a layer that does not fit is not added
    layers_.pop_back();
    outputs_.resize(std::min(outputs_.size(), layers_.size()));
    throw;
  }
}

void Chain::start(const KerasTensor& input) {
  if (input_ || !input.node()->is_input())
    throw InvalidArgument(c10::str("Sequential '", name(), "': must start once, and from an Input"));
  input_ = input;
  try {
    rebuild();
  } catch (...) {
    input_.reset();
    outputs_.clear();
    throw;
  }
}

void Chain::rebuild() {
  // Layers that are already in the graph keep their nodes: adding a layer is one call more.
  while (outputs_.size() < layers_.size()) {
    const auto& layer = layers_[outputs_.size()];
    outputs_.push_back(layer(outputs_.empty() ? *input_ : outputs_.back()));
  }
  if (!layers_.empty()) {
    graph_ = std::make_shared<Graph>(*input_, outputs_.back());
    graph_->set_name(name());
    ensure_built(graph_->input_shapes());
  }
}

Shapes Chain::input_shapes() const { return input_ ? Shapes{input_->shape()} : Shapes{}; }

std::vector<std::string> Chain::output_names() const {
  return layers_.empty() ? std::vector<std::string>{} : std::vector<std::string>{layers_.back().name()};
}

void Chain::build_many(const Shapes& inputs) {
  if (layers_.empty()) throw InvalidArgument(c10::str("Sequential '", name(), "': must have at least one layer"));
  if (graph_) return;
  if (inputs.size() != 1)
    throw InvalidArgument(c10::str("Sequential '", name(), "': must get one input, got ", inputs.size()));
  start(layers::Input(inputs.front().without_batch()));
}

Tensors Chain::call_many(const Tensors& inputs, const CallContext& context) {
  if (!graph_)
    throw InvalidArgument(
        c10::str("Sequential '", name(), "': must have an input shape and a layer before it is called"));
  return graph_->call_many(inputs, context);
}

Shapes Chain::output_shapes(const Shapes& inputs) {
  ensure_built(inputs);
  return graph_->output_shapes(inputs);
}

Config Chain::get_config() const {
  Config::List layers;
  if (input_) layers.push_back(layer_to_config(*input_->node()->layer));
  for (const auto& layer : layers_) layers.push_back(layer_to_config(*layer));
  Config config = Config::object({{"layers", std::move(layers)}});
  if (graph_) config.set("build_input_shape", shape_to_config(input_->shape()));
  return config;
}

}  // namespace tandem
