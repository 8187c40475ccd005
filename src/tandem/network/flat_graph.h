#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "tandem/network/graph.h"

namespace tandem {

/// A call of a layer somewhere in a graph or in the models within it.
struct FlatStep {
  const GraphStep* step = nullptr;  // null: an Input's conversion
  Layer* layer = nullptr;
  std::vector<uint64_t> parts = {};   // its own; picks its stream: context.part(parts[0]).part(parts[1]) ...
  std::optional<Device> device = {};  // nothing: no scope says where
  std::vector<std::size_t> reads = {};
  std::size_t writes = 0, count = 1;
};

/// A graph with the models within it laid open, so that each layer can have a device of its own.
///
/// A layer's device is that of the DeviceScope in which it was called. Layers of a model within keep the devices that
/// their own scopes name where those differ; a scope that covers a whole model within says only where it runs when no
/// scope is around its call. What has no scope of its own takes the one around the call of its model.
struct FlatGraph {
  std::vector<FlatStep> steps;  // in an order in which they can be computed
  std::vector<std::size_t> inputs, outputs;
  std::size_t slots = 0;  // values are numbered from 0 to slots - 1
};

FlatGraph flatten_graph(const Graph& graph);

}  // namespace tandem
