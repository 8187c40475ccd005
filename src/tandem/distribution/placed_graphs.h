#pragma once
#include <memory>
#include <unordered_map>

#include "tandem/distribution/placed_devices.h"
#include "tandem/network/network.h"
#include "tandem/network/placed_run.h"

namespace tandem::distribute {

/// The segments of `graph` by the devices, which must be among `devices`, that its scopes name; `unscoped` is that of
/// layers without one. Throws InternalError on another.
DividedGraph divide_by_scopes(const Graph& graph, const Devices& devices, const Device& unscoped);

/// Runs the graphs of one replica over devices as their scopes say. Layers without a scope run on `unscoped`, which
/// must be among the devices.
class PlacedGraphs final : public PlacedRun {
 public:
  PlacedGraphs(const Network& network, const Devices& devices, const Device& unscoped, int64_t threads_per_device);

  Tensors run(const Graph& graph, const Tensors& inputs, const CallContext& context) override;

  PlacedDevices& devices() { return devices_; }
  const PlacedDevices& devices() const { return devices_; }

 private:
  struct Known {
    std::weak_ptr<const Layer> graph;  // a later one may have its address
    DividedGraph divided;
    bool on_first = false;  // all of it is on the first device
  };
  const Known& known(const Graph& graph);

  PlacedDevices devices_;
  Device unscoped_;
  std::unordered_map<const Graph*, Known> known_;
};

}  // namespace tandem::distribute
