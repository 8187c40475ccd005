#include "tandem/network/scoped_devices.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/network/find_layer.h"
#include "tandem/network/flat_graph.h"
#include "tandem/network/graph_within.h"

namespace tandem {
namespace {

void add_scoped(const Layer& layer, std::vector<std::optional<Device>>& devices) {
  const auto add = [&](const std::optional<Device>& device) {
    if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
  };
  if (const Graph* graph = graph_within(layer)) {
    for (const auto& step : flatten_graph(*graph).steps) add(step.device);
    return;
  }
  const auto children = layer.children();
  if (children.empty()) add({});
  for (const auto& child : children) add_scoped(*child, devices);
}

}  // namespace

std::vector<std::optional<Device>> scoped_devices(const Layer& network) {
  std::vector<std::optional<Device>> devices;
  add_scoped(network, devices);
  return devices;
}

std::string first_scoped(const Layer& network) {
  if (const Graph* graph = graph_within(network)) {
    for (const auto& step : flatten_graph(*graph).steps) {
      if (step.device) return c10::str(quoted(*step.layer), " on ", step.device->to_string());
    }
    return {};
  }
  for (const auto& child : network.children()) {
    if (auto found = first_scoped(*child); !found.empty()) return found;
  }
  return {};
}

void check_scopes_within(const Graph& graph) {
  for (const auto& step : flatten_graph(graph).steps) {
    for (const auto& child : step.layer->children()) {
      for (const auto& device : scoped_devices(*child)) {
        if (!device || device == step.device) continue;
        throw InvalidArgument(c10::str("layer '", step.layer->name(), "' (", step.layer->class_name(),
                                       "): holds layers placed on ", device->to_string(), " and runs on ",
                                       step.device ? step.device->to_string() : std::string("the first device"),
                                       "; only models that are called in a graph can be divided over devices"));
      }
    }
  }
}

}  // namespace tandem
