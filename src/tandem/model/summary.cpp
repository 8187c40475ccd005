// Model::summary: Keras's table. What it shows and how wide follows keras/src/utils/summary_utils.py.
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <iostream>
#include <unordered_map>
#include <unordered_set>

#include "tandem/model/body.h"
#include "tandem/model/graph_of.h"
#include "tandem/model/model.h"
#include "tandem/model/network_of.h"
#include "tandem/report/table.h"

namespace tandem {
namespace {

std::string with_commas(int64_t n) {
  std::string digits = std::to_string(n);
  for (int64_t i = static_cast<int64_t>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), 1, ',');
  return digits;
}

std::string memory_size(int64_t bytes) {
  static const char* const units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
  if (bytes == 0) return "0.00 B";
  double size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1024 && unit < 5) {
    size /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %s", size, units[unit]);
  return text;
}

int64_t count(const std::vector<Weight>& weights) {
  int64_t n = 0;
  for (const auto& w : weights) n += w.shape().count();
  return n;
}

// True when every layer has one input, one output and one place, so that a column of connections would say nothing.
bool is_chain(const Graph& graph) {
  if (graph.inputs().size() != 1 || graph.outputs().size() != 1) return false;
  std::unordered_set<const Layer*> layers;
  std::unordered_set<const Node*> read;
  for (const auto& node : graph.nodes()) {
    if (node->inputs.size() > 1 || !layers.insert(node->layer.get()).second) return false;
    for (const auto& input : node->inputs) {
      if (!read.insert(input.node().get()).second) return false;
    }
  }
  return true;
}

// What each layer of a graph shows: the shape of its last call's output, and what its calls read.
struct LayerFacts {
  std::string output = "?";
  std::string connections;
};

std::unordered_map<const Layer*, LayerFacts> facts(const Graph* graph) {
  std::unordered_map<const Layer*, LayerFacts> facts;
  if (!graph) return facts;
  std::unordered_map<const Node*, int64_t> number;  // which call of its layer a node is
  std::unordered_map<const Layer*, int64_t> calls;
  for (const auto& node : graph->nodes()) number[node.get()] = calls[node->layer.get()]++;
  for (const auto& node : graph->nodes()) {
    auto& own = facts[node->layer.get()];
    own.output = output_shape_text(*node);
    for (const auto& input : node->inputs) {
      own.connections += c10::str(own.connections.empty() ? "" : ", ", input.node()->layer->name(), "[",
                                  number[input.node().get()], "][", input.index(), "]");
    }
  }
  return facts;
}

// One row a layer, in the columns that a table has.
class LayerRows {
 public:
  LayerRows(bool connected, const SummaryOptions& options) : connected_(connected), options_(options) {}

  void add(const Network& network, int64_t depth = 0) {
    const auto shown = facts(graph_of(network));
    for (const auto& layer : network.layers()) {
      const auto found = shown.find(layer.get().get());
      const LayerFacts own = found == shown.end() ? LayerFacts{} : found->second;
      std::string name;
      for (int64_t i = 0; i < depth; ++i) name += "   ";
      name += c10::str(depth ? "└ " : "", layer->name(), " (", layer->class_name(), ")");
      std::vector<std::string> row{name, own.output,
                                   layer->built() ? with_commas(layer->count_params()) : "0 (unbuilt)"};
      if (connected_) row.push_back(depth || own.connections.empty() ? "-" : own.connections);
      if (options_.show_trainable) row.push_back(layer.weights().empty() ? "-" : layer->trainable() ? "Y" : "N");
      rows.push_back(std::move(row));
      const auto* inner = network_of(*layer);
      if (options_.expand_nested && inner) add(*inner, depth + 1);
    }
  }

  std::vector<std::vector<std::string>> rows;

 private:
  bool connected_;
  const SummaryOptions& options_;
};

std::string total_line(const char* what, int64_t n, int64_t bytes) {
  return c10::str(" ", what, " params: ", with_commas(n), " (", memory_size(bytes), ")\n");
}

}  // namespace

std::string Model::summary_text(const SummaryOptions& options) const {
  const auto& network = *this->network();
  const auto* graph = dynamic_cast<const Graph*>(&network);
  const bool connected = graph && !is_chain(*graph);
  std::vector<std::string> headers{"Layer (type)", "Output Shape", "Param #"};
  std::vector<double> positions{0.45, 0.80, 1.0};
  int64_t line = 88;
  if (connected) {
    headers.push_back("Connected to");
    positions = {0.3, 0.56, 0.74, 1.0};
    line = 108;
  }
  if (options.show_trainable) {
    headers.push_back("Trainable");
    for (auto& position : positions) position *= 0.9;
    positions.push_back(1.0);
    line += 12;
  }
  line = std::min(line, options.columns - 4);
  const auto widths = report::column_widths(positions, line);
  std::vector<report::Column> table;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const auto align = headers[i] == "Param #"     ? report::Align::right
                       : headers[i] == "Trainable" ? report::Align::center
                                                   : report::Align::left;
    table.push_back({headers[i], align, widths[i]});
  }
  LayerRows layers(connected, options);
  layers.add(network);

  const int64_t trainable = count(get()->trainable_weights()), fixed = count(get()->non_trainable_weights());
  // Once it has trained, the optimizer's variables: slots, the count of updates (64 bits), and the rate unless a
  // schedule gives it.
  int64_t optimizer = 0, optimizer_bytes = 0;
  if (body().compiled() && body().trainer().has_trained()) {
    const auto& own = *body().trainer().parts().optimizer;
    const int64_t numbers = static_cast<int64_t>(own.slots().size()) * trainable + (own.rate().is_schedule() ? 0 : 1);
    optimizer = numbers + 1;
    optimizer_bytes = 4 * numbers + 8;
  }
  std::string text = report::draw_table(c10::str("Model: \"", name(), "\""), table, layers.rows, {.line_length = line});
  text += total_line("Total", trainable + fixed + optimizer, 4 * (trainable + fixed) + optimizer_bytes);
  text += total_line("Trainable", trainable, 4 * trainable) + total_line("Non-trainable", fixed, 4 * fixed);
  if (optimizer > 0) text += total_line("Optimizer", optimizer, optimizer_bytes);
  return text;
}

void Model::summary(const SummaryOptions& options) const { std::cout << summary_text(options) << std::flush; }

}  // namespace tandem
