#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tandem/core/device.h"
#include "tandem/network/graph.h"

namespace tandem {

/// The devices that scopes name for the layers of `network` and of the models within, in the order of the calls, each
/// once; with nothing among them where a layer has no scope. Looks into graphs and into a subclassed model's members.
std::vector<std::optional<Device>> scoped_devices(const Layer& network);

/// The first layer of these that a scope names a device for, "'dense' (Dense) on cpu:1"; empty: none.
std::string first_scoped(const Layer& network);

/// Throws InvalidArgument naming a layer of `graph` that holds a model with device scopes of its own, which differ from
/// the layer's: only models that a graph calls directly can be divided.
void check_scopes_within(const Graph& graph);

}  // namespace tandem
