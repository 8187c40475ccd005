#include "tandem/model/plot_model.h"

#include <c10/util/StringUtil.h>

#include <map>
#include <set>

#include "tandem/core/error.h"
#include "tandem/model/graph_of.h"

namespace tandem {
namespace {

report::DiagramNode box_of(const Layer& layer, const std::string& shape, const PlotModelOptions& options) {
  const auto heading =
      options.show_layer_names ? c10::str(layer.name(), " (", layer.class_name(), ")") : layer.class_name();
  report::DiagramNode box{heading, {}};
  if (options.show_shapes) box.lines.push_back(shape);
  return box;
}

// The layers of a network whose graph is known. A Sequential does not list its Input, and then it is not drawn.
report::Diagram graph_diagram(const Network& network, const Graph& graph, const PlotModelOptions& options) {
  std::map<const Layer*, std::string> shapes;  // the last call's, as in summary
  for (const auto& node : graph.nodes()) shapes[node->layer.get()] = output_shape_text(*node);
  report::Diagram diagram;
  std::map<const Layer*, std::size_t> place;
  for (const auto& layer : network.layers()) {
    place[layer.get().get()] = diagram.nodes.size();
    diagram.nodes.push_back(box_of(*layer, shapes[layer.get().get()], options));
  }
  std::set<std::pair<std::size_t, std::size_t>> drawn;
  for (const auto& node : graph.nodes()) {
    for (const auto& input : node->inputs) {
      const auto from = place.find(input.node()->layer.get());
      if (from == place.end()) continue;
      const std::size_t to = place.at(node->layer.get());
      if (drawn.emplace(from->second, to).second) diagram.edges.push_back({from->second, to});
    }
  }
  return diagram;
}

std::string shapes_text(const Shapes& shapes) {
  std::string text;
  for (const auto& shape : shapes) text += c10::str(text.empty() ? "" : ", ", shape);
  return shapes.size() == 1 ? text : "[" + text + "]";
}

}  // namespace

report::Diagram model_diagram(const Model& model, const PlotModelOptions& options) {
  Network& network = *model.network();
  if (!network.built()) {
    throw InvalidArgument(c10::str("plot_model: model '", network.name(),
                                   "' must be built: give it an Input or call it on a batch first"));
  }
  if (const Graph* graph = graph_of(network)) return graph_diagram(network, *graph, options);
  const auto shape = options.show_shapes ? shapes_text(network.output_shapes(network.input_shapes())) : "";
  return {.nodes = {box_of(network, shape, options)}, .edges = {}};
}

void plot_model(const Model& model, const std::string& path, const PlotModelOptions& options) {
  report::write_diagram(model_diagram(model, options), path);
}

}  // namespace tandem
