#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tandem/core/device.h"
#include "tandem/network/flat_graph.h"

namespace tandem::distribute {

/// The part of a pipeline that each step of a graph belongs to: parts follow one another in the order of the steps, and
/// none is empty.
using StepParts = std::vector<std::size_t>;

/// Throws InvalidArgument where there are more parts than steps.
void check_steps(std::size_t steps, std::size_t parts);

/// So that the dearest part is as cheap as it can be. Throws InvalidArgument where there are more parts than steps.
StepParts split_by_cost(const std::vector<double>& costs, std::size_t parts);

/// By step, numbers from 0 on of what should not be divided: all from the first to the last call of a layer that has
/// statistics, which must be of one stage.
std::vector<std::size_t> units_of(const FlatGraph& flat);

/// Each of `last_layers`, by name, ends a part; one fewer than there are parts. Throws InvalidArgument, naming the
/// layer, on one that is not there, and on an order that is not the graph's.
StepParts split_by_names(const FlatGraph& flat, const std::vector<std::string>& last_layers, std::size_t parts);

/// The part of each call of a graph, by its numbers (FlatStep::parts).
using CallParts = std::map<std::vector<uint64_t>, std::size_t>;
CallParts parts_of_calls(const FlatGraph& flat, const StepParts& parts);

/// Where the calls of the graph that `flat` computes in another way are; what that one has not (collectives and what
/// follows them) goes with what it reads. So a cut is behind all that stands for the layer before it, and a layer that
/// is called several times may be cut behind any of its calls.
StepParts split_by_calls(const FlatGraph& flat, const CallParts& calls);

/// A part for each device that scopes name, in the order in which they come; what has no scope goes with what it reads.
/// Throws InvalidArgument where the number of devices is not that of the parts, and naming a layer that would send
/// backwards.
StepParts split_by_scopes(const FlatGraph& flat, std::size_t parts);

/// The devices that scopes name for the steps of `flat`, each once.
std::vector<Device> devices_in_scopes(const FlatGraph& flat);

}  // namespace tandem::distribute
