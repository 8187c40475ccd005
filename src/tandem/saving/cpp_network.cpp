#include "tandem/saving/cpp_network.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/layers/call_arguments.h"
#include "tandem/network/tensor_structure.h"
#include "tandem/saving/cpp_text.h"
#include "tandem/saving/nested_network.h"

namespace tandem::saving {
namespace {

// Input({4, 4, 2}, {.name = "image"})
std::string input_text(const KerasTensor& input) {
  const Layer& layer = *input.node()->layer;
  const Config config = layer.get_config();
  const Shape& shape = input.shape();
  std::string options;
  if (shape[0] != Shape::kUnknown) options += c10::str(".batch_size = ", shape[0], ", ");
  const std::string dtype = config.at("dtype").as_string();
  if (dtype != "float32") options += c10::str(".dtype = ", cpp_literal(dtype), ", ");
  return c10::str("Input({", c10::Join(", ", shape.without_batch().sizes()), "}, {", options,
                  ".name = ", cpp_literal(layer.name()), "})");
}

bool frozen_as_a_whole(const Layer& layer) {
  if (layer.trainable()) return false;
  const auto children = layer.children();
  return std::all_of(children.begin(), children.end(), [](const auto& child) { return frozen_as_a_whole(*child); });
}

bool trained_as_a_whole(const Layer& layer) {
  if (!layer.trainable()) return false;
  const auto children = layer.children();
  return std::all_of(children.begin(), children.end(), [](const auto& child) { return trained_as_a_whole(*child); });
}

// {a, b}, or a alone.
std::string list_text(const std::vector<std::string>& items) {
  return items.size() == 1 ? items.front() : c10::str("{", c10::Join(", ", items), "}");
}

// Arguments as Keras writes them, tensors by their number among the inputs.
std::string call_with_arguments(const std::string& layer, const CallArguments& arguments,
                                const std::vector<std::string>& inputs) {
  return c10::str("call_in_graph(", layer, ".get(), {", c10::Join(", ", inputs),
                  "}, std::make_shared<CallArguments>(CallArguments{", cpp_config(arguments.args), ".as_list(), ",
                  cpp_config(arguments.kwargs), "}))");
}

bool has_object(const Config& structure) {
  if (structure.is_object()) return true;
  if (!structure.is_list()) return false;
  const auto& items = structure.as_list();
  return std::any_of(items.begin(), items.end(), has_object);
}

}  // namespace

/// The statements of one function.
struct CppNetworkWriter::Body {
  const Network& network;
  CppNames names = {};
  std::string text = {};
  std::string after = {};  // what the flags of a frozen model are followed by

  void line(const std::string& statement) { text += c10::str("  ", statement, "\n"); }

  /// True when the layer's own flag must be set, for which it needs a variable: else it has the one that it is made
  /// with, or that its model gives it.
  bool sets_flag(const Layer& layer) const {
    if (nested_network(layer)) {
      if (!network.trainable() && !frozen_as_a_whole(layer)) refuse_flags(layer);
      return false;  // its own function does
    }
    const bool whole = trained_as_a_whole(layer) || frozen_as_a_whole(layer);
    if (!whole) refuse_flags(layer);
    return layer.trainable() != network.trainable();
  }

  void set_flag(const Layer& layer, const std::string& variable) {
    const std::string statement = c10::str(variable, "->set_trainable(", layer.trainable() ? "true" : "false", ");");
    if (network.trainable()) {
      line(statement);
    } else {
      after += c10::str("  ", statement, "\n");  // the model's own flag would reach it
    }
  }

 private:
  [[noreturn]] void refuse_flags(const Layer& layer) const {
    throw InvalidArgument(
        c10::str("layer '", layer.name(), "' (", layer.class_name(),
                 ") cannot be written as C++: it is frozen, or its model is, and parts of it are not"));
  }
};

void CppNetworkWriter::note_owner(const Layer& layer, const Network& network) {
  const auto [owner, fresh] = owners_.emplace(&layer, &network);
  if (fresh || owner->second == &network) return;
  throw InvalidArgument(c10::str("layer '", layer.name(), "' cannot be written as C++: it is a part of two models, '",
                                 owner->second->name(), "' and '", network.name(), "'"));
}

std::string CppNetworkWriter::construction(const Layer& layer) {
  const Network* inner = nested_network(layer);
  return inner ? write(*inner) + "()" : cpp_layer(layer);
}

void CppNetworkWriter::write_chain(const Chain& chain, Body& body) {
  body.line(c10::str("Sequential model({}, ", cpp_literal(chain.name()), ");"));
  body.line(c10::str("model.add(", input_text(*chain.input()), ");"));
  for (const auto& layer : chain.layers()) {
    note_owner(*layer, chain);
    const std::string made = construction(*layer);
    if (!body.sets_flag(*layer)) {
      body.line(c10::str("model.add(", made, ");"));
      continue;
    }
    const std::string variable = body.names.unique(layer.name());
    body.line(c10::str("const auto ", variable, " = ", made, ";"));
    body.set_flag(*layer, variable);
    body.line(c10::str("model.add(", variable, ");"));
  }
}

void CppNetworkWriter::write_graph(const Graph& graph, Body& body) {
  auto nodes = graph.nodes();
  // As they were made: a layer's calls are counted in this order.
  std::sort(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a->number < b->number; });
  std::map<const Layer*, int> calls;
  for (const auto& node : nodes) ++calls[node->layer.get()];
  std::map<const Layer*, std::string> layers;  // variables
  std::map<const Node*, std::string> values;
  const auto has_list = [](const Node& node) { return node.arguments || node.output_shapes.size() > 1; };
  const auto value_of = [&](const KerasTensor& tensor) {
    const std::string& name = values.at(tensor.node().get());
    return has_list(*tensor.node()) ? c10::str(name, "[", tensor.index(), "]") : name;
  };
  for (const auto& node : nodes) {
    const Layer& layer = *node->layer;
    if (node->device) {
      throw InvalidArgument(
          c10::str("layer '", layer.name(), "' cannot be written as C++: it is placed on ", node->device->to_string()));
    }
    if (node->is_input()) {
      values[node.get()] = body.names.unique(layer.name());
      body.line(c10::str("const auto ", values[node.get()], " = ", input_text({node, 0}), ";"));
      continue;
    }
    std::string made;
    if (const auto known = layers.find(&layer); known != layers.end()) {
      made = known->second;
    } else {
      note_owner(layer, graph);
      made = construction(layer);
      if (calls[&layer] > 1 || body.sets_flag(layer)) {
        const std::string variable = layers[&layer] = body.names.unique(layer.name());
        body.line(c10::str("const auto ", variable, " = ", made, ";"));
        if (body.sets_flag(layer)) body.set_flag(layer, variable);
        made = variable;
      }
    }
    std::vector<std::string> inputs;
    for (const auto& input : node->inputs) inputs.push_back(value_of(input));
    values[node.get()] = body.names.unique(layer.name());
    const std::string call = node->arguments
                                 ? call_with_arguments(made, *node->arguments, inputs)
                                 : c10::str(made, has_list(*node) ? ".outputs(" : "(", list_text(inputs), ")");
    body.line(c10::str("const auto ", values[node.get()], " = ", call, ";"));
  }
  const auto all = [&](const KerasTensors& tensors) {
    std::vector<std::string> items;
    for (const auto& tensor : tensors) items.push_back(value_of(tensor));
    return list_text(items);
  };
  body.line(
      c10::str("Model model(", all(graph.inputs()), ", ", all(graph.outputs()), ", ", cpp_literal(graph.name()), ");"));
  if (has_object(graph.input_structure()) || has_object(graph.output_structure())) {
    body.line(c10::str("static_cast<Graph&>(*model.network()).set_structure(", cpp_config(graph.input_structure()),
                       ", ", cpp_config(graph.output_structure()), ");"));
  }
}

std::string CppNetworkWriter::write(const Network& network) {
  Body body{network};
  if (!network.built()) {
    throw InvalidArgument(c10::str("model '", network.name(),
                                   "' cannot be written as C++: it must be built first; give it an input shape"));
  }
  if (const auto* chain = dynamic_cast<const Chain*>(&network); chain && chain->input()) {
    write_chain(*chain, body);
  } else if (const auto* graph = dynamic_cast<const Graph*>(&network)) {
    write_graph(*graph, body);
  } else {
    throw InvalidArgument(c10::str("model '", network.name(), "' (", network.class_name(),
                                   ") cannot be written as C++: its class is a program's own"));
  }
  if (!network.trainable()) body.line("model->set_trainable(false);");
  std::string function = functions_.unique("make_" + network.name());
  text_ += c10::str("Model ", function, "() {\n", body.text, body.after, "  return model;\n}\n\n");
  return function;
}

}  // namespace tandem::saving
