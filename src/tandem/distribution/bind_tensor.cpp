#include "tandem/distribution/bind_tensor.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/distribution/replicated.h"
#include "tandem/distribution/tensor_execution.h"
#include "tandem/network/graph_within.h"
#include "tandem/network/scoped_devices.h"
#include "tandem/sharding/tensor_plan.h"

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

void check_divides(const TensorMesh& mesh, const Program& program) {
  const auto local = sharding::make_local_network(*program.network, {0, mesh.tensor});
  if (!local.splits()) {
    throw InvalidArgument(c10::str(mesh.who, ": model '", program.network->name(),
                                   "' must have a layer that can be split over ", mesh.tensor,
                                   " devices: ", reasons_of(local)));
  }
  if (program.optimizer && !program.optimizer->elementwise()) {
    throw InvalidArgument(c10::str(mesh.who, ": optimizer ", program.optimizer->class_name(),
                                   " must not be used, since it needs each weight whole"));
  }
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

TensorMesh checked_mesh(TensorMesh mesh) {
  const auto refuse = [&](const std::string& must) { throw InvalidArgument(mesh.who + ": " + must); };
  if (mesh.group && mesh.group->world_size() > 1 && !mesh.group->processes())
    refuse("the group's ranks must be processes, as those of init_process_group()");
  if (mesh.group && mesh.devices.empty()) mesh.devices = {mesh.group->device()};
  if (mesh.devices.empty()) refuse("must get a device for each part, e.g. {.devices = {\"cpu:0\", \"cpu:1\"}}");
  for (const auto& device : mesh.devices) {
    if (device.kind == Device::Kind::gpu)
      refuse(c10::str("devices must be CPUs, got ", mesh.devices.to_string(), "; Mirrored runs on GPUs"));
  }
  check_available(mesh.devices);
  if (mesh.over_processes() && mesh.devices.size() != 1)
    refuse(c10::str("each process must have one device, got ", mesh.devices.to_string()));
  if (mesh.all_devices() != mesh.data * mesh.tensor) {
    refuse(c10::str("data ", mesh.data, " x tensor ", mesh.tensor, " must be the number of ",
                    mesh.over_processes() ? "processes" : "devices", ", got ", mesh.all_devices()));
  }
  return mesh;
}

std::unique_ptr<Execution> bind_tensor(const TensorMesh& mesh, const Program& program) {
  check_splittable(mesh.who, *program.network);
  if (!graph_within(*program.network)) {
    throw InvalidArgument(
        c10::str(mesh.who, ": model '", program.network->name(), "': must know its inputs before it can be split"));
  }
  if (mesh.tensor > 1) check_divides(mesh, program);
  const bool apart = mesh.over_processes();
  const int64_t on_host = apart ? mesh.group->local_size() : mesh.devices.size();
  const TensorSettings settings{.devices = mesh.devices,
                                .tensor = mesh.tensor,
                                .threads_per_device = threads_per_device(on_host, mesh.threads_per_device),
                                .processes = apart ? mesh.group->processes() : nullptr};
  return std::make_unique<TensorExecution>(program, settings, [](const TensorExecution::Part& part) {
    Replication how{
        .devices = part.devices, .processes = part.processes, .threads_per_device = part.threads_per_device};
    how.within = part.within;
    how.shards = part.shards;
    return std::make_unique<Replicated>(part.program, how);
  });
}

std::string plan_of(const TensorMesh& mesh, const Network& network) {
  return graph_within(network) ? sharding::tensor_plan(network, mesh.tensor) : "";
}

}  // namespace tandem::distribute
