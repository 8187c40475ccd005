#include "tandem/distribution/bind_tensor.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/distribution/replicated.h"
#include "tandem/network/graph_within.h"
#include "tandem/network/scoped_devices.h"

namespace tandem::distribute {
namespace {

// Why nothing was split, by the layers that have weights.
std::string reasons_of(const sharding::LocalNetwork& local) {
  std::string all;
  for (const auto& layer : local.plan) {
    if (layer.weights > 0 && !layer.why.empty())
      all += c10::str(all.empty() ? "" : ", ", "'", layer.name, "' (", layer.class_name, ") ", layer.why);
  }
  return all.empty() ? "no layer has weights" : all;
}

}  // namespace

void check_splittable(const std::string& who, const Network& network) {
  const auto must = [&](const std::string& what) {
    throw InvalidArgument(c10::str(who, ": model '", network.name(), "': must ", what));
  };
  if (network.built() && !graph_within(network)) must("be functional or Sequential, so that its layers can be split");
  for (const auto& scope : scoped_devices(network)) {
    if (scope) must(c10::str("have no layers in DeviceScopes, got one on ", scope->to_string()));
  }
}

void check_tensor_devices(const std::string& who, const Devices& devices, int64_t count) {
  if (devices.size() != count)
    throw InvalidArgument(c10::str(who, ": must get ", count, " devices, got ", devices.size()));
  for (const auto& device : devices) {
    if (device.kind == Device::Kind::gpu)
      throw InvalidArgument(
          c10::str(who, ": devices must be CPUs, got ", devices.to_string(), "; Mirrored runs on GPUs"));
  }
  check_available(devices);
}

std::unique_ptr<Execution> bind_tensor(const std::string& who, const Program& program, const TensorSettings& settings) {
  check_splittable(who, *program.network);
  if (!graph_within(*program.network)) {
    throw InvalidArgument(
        c10::str(who, ": model '", program.network->name(), "': must know its inputs before it can be split"));
  }
  auto execution =
      std::make_unique<TensorExecution>(program, settings, [](const TensorExecution::Part& part) {
        Replication how{.devices = part.devices, .threads_per_device = part.threads_per_device};
        how.within = part.within;
        how.shards = part.shards;
        return std::make_unique<Replicated>(part.program, how);
      });
  const auto& local = execution->local(0);
  if (settings.tensor == 1) return execution;
  if (!local.splits()) {
    throw InvalidArgument(c10::str(who, ": model '", program.network->name(), "' must have a layer that can be split over ",
                                   settings.tensor, " devices: ", reasons_of(local)));
  }
  if (program.optimizer && !program.optimizer->elementwise()) {
    throw InvalidArgument(c10::str(who, ": optimizer ", program.optimizer->class_name(),
                                   " must not be used, since it needs each weight whole"));
  }
  return execution;
}

}  // namespace tandem::distribute
