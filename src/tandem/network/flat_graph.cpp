#include "tandem/network/flat_graph.h"

#include <algorithm>

#include "tandem/network/graph_within.h"

namespace tandem {
namespace {

using Slots = std::vector<std::size_t>;

constexpr uint64_t kConversions = uint64_t{1} << 48;  // behind all numbers of calls

class Flattening {
 public:
  FlatGraph run(const Graph& graph) {
    for (std::size_t i = 0; i < graph.input_slots().size(); ++i) flat_.inputs.push_back(flat_.slots++);
    flat_.outputs = add(graph, flat_.inputs, {}, {});
    return std::move(flat_);
  }

 private:
  // `around`: the scope of the call of this graph. Returns where its outputs are.
  Slots add(const Graph& graph, const Slots& inputs, const std::optional<Device>& around,
            const std::vector<uint64_t>& parts) {
    const auto device_of = [&, covered = covers_all(graph)](const GraphStep& step) {
      if (around && (covered || !step.device)) return around;
      return step.device;
    };
    Slots place(graph.slots());  // of the graph's values among all
    for (std::size_t i = 0; i < inputs.size(); ++i) place[graph.input_slots()[i]] = inputs[i];
    if (!parts.empty()) convert_inputs(graph, place, parts, device_of);
    for (const auto& step : graph.steps()) {
      Slots reads;
      for (auto s : step.reads) reads.push_back(place[s]);
      auto deeper = parts;
      deeper.push_back(step.part);
      if (const Graph* within = graph_within(*step.layer)) {
        const auto outputs = add(*within, reads, device_of(step), deeper);
        for (std::size_t j = 0; j < step.count; ++j) place[step.writes + j] = outputs[j];
        continue;
      }
      for (std::size_t j = 0; j < step.count; ++j) place[step.writes + j] = flat_.slots + j;
      flat_.steps.push_back(
          {&step, step.layer, std::move(deeper), device_of(step), std::move(reads), flat_.slots, step.count});
      flat_.slots += step.count;
    }
    Slots outputs;
    for (auto s : graph.output_slots()) outputs.push_back(place[s]);
    return outputs;
  }

  // The Inputs of a model within, each on the device of the first layer that reads it.
  template <class DeviceOf>
  void convert_inputs(const Graph& graph, Slots& place, const std::vector<uint64_t>& parts, const DeviceOf& device_of) {
    for (std::size_t i = 0; i < graph.input_slots().size(); ++i) {
      const auto slot = graph.input_slots()[i];
      const auto reader = std::find_if(graph.steps().begin(), graph.steps().end(), [&](const GraphStep& step) {
        return std::find(step.reads.begin(), step.reads.end(), slot) != step.reads.end();
      });
      FlatStep conversion{.layer = graph.inputs()[static_cast<int64_t>(i)].node()->layer.get()};
      if (reader != graph.steps().end()) conversion.device = device_of(*reader);
      conversion.parts = parts;
      conversion.parts.push_back(kConversions + i);
      conversion.reads = {place[slot]};
      conversion.writes = place[slot] = flat_.slots++;
      flat_.steps.push_back(std::move(conversion));
    }
  }

  // True when all layers of the graph are in scopes of one device.
  static bool covers_all(const Graph& graph) {
    const auto& steps = graph.steps();
    return std::all_of(steps.begin(), steps.end(),
                       [&](const GraphStep& step) { return step.device && step.device == steps.front().device; });
  }

  FlatGraph flat_;
};

}  // namespace

FlatGraph flatten_graph(const Graph& graph) { return Flattening().run(graph); }

}  // namespace tandem
