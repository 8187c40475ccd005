#include "tandem/model/placement.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "tandem/model/body.h"
#include "tandem/model/graph_of.h"

namespace tandem {
namespace {

constexpr const char* kHostMemory = "cpu";

using Scopes = std::unordered_map<const Variable*, Device>;

// The innermost scope of each weight's layer; a layer that is used twice has that of its first use.
void note_scopes(const Layer& layer, const std::optional<Device>& scope, Scopes& scopes) {
  const auto* network = dynamic_cast<const Network*>(&layer);
  if (const Graph* graph = network ? graph_of(*network) : nullptr) {
    for (const auto& node : graph->nodes()) note_scopes(*node->layer, node->device ? node->device : scope, scopes);
  }
  if (scope) {
    for (const auto& weight : layer.own_weights()) scopes.emplace(&weight.variable(), *scope);
  }
  for (const auto& child : layer.children()) note_scopes(*child, scope, scopes);
}

// A scope says whose memory it is where the tensor lies in memory of that kind; what it cannot change it does not say.
std::string place_of(const Tensor& value, const Device* scope) {
  const bool host = value.device().is_cpu();
  if (scope && host == (scope->kind == Device::Kind::cpu)) return scope->to_string();
  return host ? kHostMemory : c10::str("gpu:", static_cast<int>(value.device().index()));
}

std::string listed(const std::vector<std::string>& places) { return places.empty() ? "none" : c10::Join(", ", places); }

}  // namespace

std::string Placement::to_string() const {
  return c10::str("weights: ", listed(weights), "; replicas: ", listed(replicas), "; outputs: ", outputs);
}

Placement ModelBody::placement() {
  Scopes scopes;
  if (!places_.weights_on_host) note_scopes(*network_, {}, scopes);
  Placement placement;
  for (const auto& weight : network_->weights()) {
    const auto scope = scopes.find(&weight.variable());
    auto place = place_of(weight.variable().value, scope == scopes.end() ? nullptr : &scope->second);
    if (std::find(placement.weights.begin(), placement.weights.end(), place) == placement.weights.end())
      placement.weights.push_back(std::move(place));
  }
  const auto devices = trainer().parts().strategy->devices_of(*network_);
  for (const auto& device : devices) placement.replicas.push_back(device.to_string());
  // A GPU's outputs are copied to host memory by the replica that made them.
  const bool apart = (devices.size() > 1 && !places_.outputs_on_first_device) || devices[0].kind == Device::Kind::gpu;
  placement.outputs = apart ? kHostMemory : placement.replicas.front();
  return placement;
}

}  // namespace tandem
