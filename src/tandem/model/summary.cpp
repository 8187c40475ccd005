// Model::summary: Keras's table. What it shows and how wide follows keras/src/utils/summary_utils.py.
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <iostream>
#include <unordered_map>
#include <unordered_set>

#include "tandem/model/body.h"
#include "tandem/model/model.h"
#include "tandem/network/chain.h"
#include "tandem/network/graph.h"
#include "tandem/report/table.h"

namespace tandem {
namespace {

std::string with_commas(int64_t n) {
  std::string digits = std::to_string(n);
  for (int64_t i = static_cast<int64_t>(digits.size()) - 3; i > 0; i -= 3) digits.insert(static_cast<std::size_t>(i), ",");
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

std::unordered_map<const Layer*, LayerFacts> facts(const Graph& graph) {
  std::unordered_map<const Node*, int64_t> number;  // which call of its layer a node is
  std::unordered_map<const Layer*, int64_t> calls;
  std::unordered_map<const Layer*, LayerFacts> facts;
  for (const auto& node : graph.nodes()) number[node.get()] = calls[node->layer.get()]++;
  for (const auto& node : graph.nodes()) {
    auto& own = facts[node->layer.get()];
    if (node->output_shapes.size() == 1) {
      own.output = node->output_shapes[0].to_string();
    } else {
      own.output.clear();
      for (const auto& shape : node->output_shapes) own.output += (own.output.empty() ? "[" : ", ") + shape.to_string();
      own.output += "]";
    }
    for (const auto& input : node->inputs) {
      own.connections += c10::str(own.connections.empty() ? "" : ", ", input.node()->layer->name(), "[", number[input.node().get()], "][", input.index(), "]");
    }
  }
  return facts;
}

}  // namespace

std::string Model::summary_text(int64_t columns) const {
  const auto& network = *this->network();
  const auto* graph = dynamic_cast<const Graph*>(&network);
  if (const auto* chain = dynamic_cast<const Chain*>(&network)) graph = chain->graph().get();
  const bool connected = dynamic_cast<const Graph*>(&network) && !is_chain(*graph);
  const auto shown = graph ? facts(*graph) : std::unordered_map<const Layer*, LayerFacts>{};

  std::vector<std::string> headers{"Layer (type)", "Output Shape", "Param #"};
  std::vector<report::Align> aligns{report::Align::left, report::Align::left, report::Align::right};
  std::vector<double> positions{0.45, 0.80, 1.0};
  if (connected) {
    headers.push_back("Connected to");
    aligns.push_back(report::Align::left);
    positions = {0.3, 0.56, 0.74, 1.0};
  }
  const int64_t line = std::min<int64_t>(connected ? 108 : 88, columns - 4);
  const auto widths = report::column_widths(positions, line);
  std::vector<report::Column> table;
  for (std::size_t i = 0; i < headers.size(); ++i) table.push_back({headers[i], aligns[i], widths[i]});

  std::vector<std::vector<std::string>> rows;
  for (const auto& layer : network.layers()) {
    const auto found = shown.find(layer.get().get());
    const LayerFacts own = found == shown.end() ? LayerFacts{} : found->second;
    std::vector<std::string> row{c10::str(layer->name(), " (", layer->class_name(), ")"), own.output,
                                 layer->built() ? with_commas(layer->count_params()) : "0 (unbuilt)"};
    if (connected) row.push_back(own.connections.empty() ? "-" : own.connections);
    rows.push_back(std::move(row));
  }
  const int64_t trainable = count(get()->trainable_weights()), fixed = count(get()->non_trainable_weights());
  const auto total_line = [](const char* what, int64_t n) { return c10::str(" ", what, " params: ", with_commas(n), " (", memory_size(4 * n), ")\n"); };
  return report::draw_table(c10::str("Model: \"", name(), "\""), table, rows, {.line_length = line}) + total_line("Total", trainable + fixed) +
         total_line("Trainable", trainable) + total_line("Non-trainable", fixed);
}

void Model::summary() const { std::cout << summary_text() << std::flush; }

}  // namespace tandem
