#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "tandem/core/device.h"
#include "tandem/network/flat_graph.h"

namespace tandem::distribute {

/// The part of a pipeline that each step of a graph belongs to: parts follow one another in the order of the steps, and
/// none is empty.
using StepParts = std::vector<std::size_t>;

/// So that the dearest part is as cheap as it can be. Throws InvalidArgument where there are more parts than steps.
StepParts split_by_cost(const std::vector<double>& costs, std::size_t parts);

/// Each of `last_layers`, by name, ends a part; one fewer than there are parts. Throws InvalidArgument, naming the
/// layer, on one that is not there, and on an order that is not the graph's.
StepParts split_by_names(const FlatGraph& flat, const std::vector<std::string>& last_layers, std::size_t parts);

/// A part for each device that scopes name, in the order in which they come; what has no scope goes with what it reads.
/// Throws InvalidArgument where the number of devices is not that of the parts, and naming a layer that would send
/// backwards.
StepParts split_by_scopes(const FlatGraph& flat, std::size_t parts);

/// The devices that scopes name for the steps of `flat`, each once.
std::vector<Device> devices_in_scopes(const FlatGraph& flat);

}  // namespace tandem::distribute
