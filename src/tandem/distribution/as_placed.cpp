#include "tandem/distribution/as_placed.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/distribution/placed_execution.h"
#include "tandem/network/graph_within.h"
#include "tandem/network/scoped_devices.h"

namespace tandem::distribute {
namespace {

const Device kUnscoped;  // cpu:0, where a model without scopes runs

// The devices of a network's layers; the first is the first layer's.
Devices placed_devices(const Network& network) {
  std::vector<Device> devices;
  for (const auto& scope : scoped_devices(network)) {
    const Device device = scope.value_or(kUnscoped);
    if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
  }
  if (devices.empty()) devices.push_back(kUnscoped);  // a model of Inputs alone
  return Devices::of(std::move(devices));
}

void check_placed(const Network& network, const Devices& devices) {
  try {
    check_available(devices);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(c10::str("model '", network.name(), "' as placed: ", error.what()));
  }
  // LibTorch goes back through all graphs of a GPU on one thread, and the parts would wait for one another.
  for (const auto& device : devices) {
    if (device.parts == 1 || devices.size() == 1) continue;
    throw InvalidArgument(
        c10::str("model '", network.name(), "' as placed: scopes must name whole GPUs, got ", device.to_string()));
  }
  if (const Graph* graph = graph_within(network)) check_scopes_within(*graph);
  if (devices.size() == 1) return;
  if (const auto why = network.why_not_replicable(); !why.empty()) throw InvalidArgument(why);
}

// True where each part waits for the one before: devices that never compute at the same time need not share the cores.
bool one_at_a_time(const Network& network, const Devices& devices) {
  const Graph* graph = graph_within(network);
  if (!graph) return false;
  const auto divided = divide_by_scopes(*graph, devices, kUnscoped);
  for (std::size_t s = 1; s < divided.segments.size(); ++s) {
    const auto& after = divided.segments[s].after;
    if (std::find(after.begin(), after.end(), s - 1) == after.end()) return false;
  }
  return true;
}

class AsPlacedKind : public StrategyKind {
 public:
  explicit AsPlacedKind(int64_t threads) : threads_(threads) { threads_per_device(1, threads); }
  std::string name() const override { return "as-placed"; }
  Devices devices() const override { return {}; }  // the program's scopes say

  Devices devices_of(const Network& network) const override { return placed_devices(network); }
  void check(const Network& network) const override { check_placed(network, placed_devices(network)); }

  std::unique_ptr<Execution> bind(const Program& program) const override {
    const auto devices = placed_devices(*program.network);
    check_placed(*program.network, devices);
    const int64_t sharing = one_at_a_time(*program.network, devices) ? 1 : devices.size();
    return std::make_unique<PlacedExecution>(program, devices, kUnscoped, threads_per_device(sharing, threads_));
  }

 private:
  int64_t threads_;
};

}  // namespace

AsPlaced::AsPlaced(int64_t threads_per_device) : Strategy(std::make_shared<AsPlacedKind>(threads_per_device)) {}

}  // namespace tandem::distribute
