#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tandem/core/device.h"
#include "tandem/layers/call_context.h"
#include "tandem/network/graph.h"

namespace tandem {

/// One layer call of a segment; values are numbered within the segment.
struct PlacedStep {
  const GraphStep* step;  // null: an Input's conversion
  Layer* layer;
  std::vector<uint64_t> parts;
  std::vector<std::size_t> reads;
  std::size_t writes, count;
  std::vector<std::size_t> last_use;

  Tensors run(const Tensors& inputs, const CallContext& graph_context) const;
};

/// Layer calls of one device that need the same values of other devices and that the same others need: nobody waits for
/// more than it needs.
struct Segment {
  std::size_t place = 0;               // where it runs: what the rule of divide_graph said
  std::vector<PlacedStep> steps = {};  // in order
  std::size_t slots = 0;               // number of values within
  std::vector<std::size_t> reads;      // numbers of the values that come from elsewhere: within they are 0, 1, ...
  std::vector<std::pair<std::size_t, std::size_t>> writes;  // (within, number): values that are needed elsewhere
  std::vector<std::size_t> after;                           // segments that must have ended before, ascending

  /// The values of `writes` for those of `reads`. `context` is the graph's.
  std::vector<Tensor> run(std::vector<Tensor> given, const CallContext& context) const;
};

/// A graph divided into segments by where its layers run.
struct DividedGraph {
  std::vector<Segment> segments;             // in an order in which they can run; the longest way to the end first
  std::vector<std::size_t> inputs, outputs;  // numbers of values
  std::size_t values = 0;
};

/// Divides `graph`, with the models within it laid open (flat_graph.h). `rule` turns the device that scopes name for a
/// layer, nothing where there is none, into a place. Calls of one layer that has statistics (batch normalisation) come
/// one after the other in the graph's order wherever they run, so that they change the statistics as on one device.
DividedGraph divide_graph(const Graph& graph, const std::function<std::size_t(const std::optional<Device>&)>& rule);

}  // namespace tandem
