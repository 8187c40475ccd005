#include "tandem/distribution/bind_tensor.h"

#include <c10/util/StringUtil.h>

#include <optional>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/distribution/bind_pipeline.h"
#include "tandem/distribution/check_places.h"
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

// Stages of replicas: of the whole model, or of each of its parts.
PipelineSettings stages_of(const TensorMesh& mesh, int64_t threads) {
  return {.who = mesh.who,
          .devices = mesh.devices,
          .data = mesh.data,
          .processes = mesh.over_processes() ? mesh.group->processes() : nullptr,
          .threads_per_device = threads,
          .micro_batches = mesh.micro_batches,
          .chunks = mesh.chunks,
          .schedule = mesh.schedule,
          .recompute = mesh.recompute,
          .memory = {.limit = mesh.memory_limit},
          .zero = mesh.zero};
}

// Stages of the model itself, where its parts are cut, too.
PipelineSettings whole_stages_of(const TensorMesh& mesh) {
  auto settings = stages_of(mesh, 1);
  settings.data *= mesh.tensor;
  return settings;
}

// The parts of a model must be cut alike: where the model itself would be, by one measurement.
CallParts calls_of(const TensorMesh& mesh, const Network& network) {
  if (mesh.pipe == 1) return {};
  const auto settings = whole_stages_of(mesh);
  std::optional<Peers> peers;
  if (settings.processes) peers.emplace(settings.processes);
  return plan_calls(*graph_within(network), settings, peers ? &*peers : nullptr);
}

std::unique_ptr<Execution> make_part(const TensorMesh& mesh, const CallParts& calls,
                                     const TensorExecution::Part& part) {
  if (mesh.pipe > 1) {
    auto stages = stages_of(mesh, part.threads_per_device);
    stages.devices = part.devices;
    stages.processes = part.processes;
    stages.calls = calls;
    stages.memory = part.memory;
    stages.within = part.within;
    stages.shards = part.shards;
    return bind_pipeline(part.program, stages);
  }
  Replication how{.devices = part.devices, .processes = part.processes, .threads_per_device = part.threads_per_device};
  how.within = part.within;
  how.shards = part.shards;
  how.zero_stage = mesh.zero;
  how.memory = part.memory;
  return std::make_unique<Replicated>(part.program, how);
}

void check_divides(const TensorMesh& mesh, const Network& network) {
  const auto local = sharding::make_local_network(network, {0, mesh.tensor});
  if (local.splits()) return;
  throw InvalidArgument(c10::str(mesh.who, ": model '", network.name(), "' must have a layer that can be split over ",
                                 mesh.tensor, " devices: ", reasons_of(local)));
}

}  // namespace

void check_network(const TensorMesh& mesh, const Network& network) {
  const auto must = [&](const std::string& what) {
    throw InvalidArgument(c10::str(mesh.who, ": model '", network.name(), "': must ", what));
  };
  if (!may_become_graph(network)) must("be functional or Sequential, so that its layers can be split");
  if (const auto layer = first_scoped(network); !layer.empty())
    must(c10::str("have no layers in DeviceScopes, got ", layer));
  if (mesh.pipe > 1) check_stages(network, whole_stages_of(mesh));
  if (mesh.tensor > 1 && graph_within(network)) check_divides(mesh, network);
}

void check_optimizer(const TensorMesh& mesh, const Optimizer& optimizer) {
  if ((mesh.tensor == 1 && mesh.zero == 0) || optimizer.elementwise()) return;
  throw InvalidArgument(c10::str(mesh.who, ": optimizer ", optimizer.class_name(),
                                 " must not be used, since it needs each weight whole"));
}

TensorMesh checked_mesh(TensorMesh mesh) {
  const auto refuse = [&](const std::string& must) { throw InvalidArgument(mesh.who + ": " + must); };
  check_processes(mesh.who, mesh.group);
  if (mesh.group && mesh.devices.empty()) mesh.devices = {mesh.group->device()};
  if (mesh.devices.empty()) refuse("must get a device for each part, e.g. {.devices = {\"cpu:0\", \"cpu:1\"}}");
  check_cpus(mesh.who, mesh.devices);
  check_available(mesh.devices);
  threads_per_device(mesh.devices.size(), mesh.threads_per_device);
  const bool stages_alone = mesh.pipe > 1 && mesh.tensor == 1;
  if (mesh.over_processes() && mesh.devices.size() != 1 && !stages_alone)
    refuse(c10::str("each process must have one device, got ", mesh.devices.to_string()));
  if (mesh.all_devices() != mesh.data * mesh.pipe * mesh.tensor) {
    refuse(c10::str("data ", mesh.data, " x pipe ", mesh.pipe, " x tensor ", mesh.tensor, " must be the number of ",
                    mesh.over_processes() ? "devices of all processes" : "devices", ", got ", mesh.all_devices()));
  }
  check_schedule(mesh.who, mesh.schedule, {mesh.pipe, mesh.micro_batches, mesh.chunks});
  check_memory_limit(mesh.who, mesh.memory_limit);
  if (mesh.zero < 0 || mesh.zero > 3) refuse(c10::str("zero must be 1, 2 or 3, or 0 for nothing, got ", mesh.zero));
  return mesh;
}

std::unique_ptr<Execution> bind_tensor(const TensorMesh& mesh, const Program& program) {
  check_network(mesh, *program.network);
  if (!graph_within(*program.network)) {
    throw InvalidArgument(
        c10::str(mesh.who, ": model '", program.network->name(), "': must know its inputs before it can be split"));
  }
  if (program.optimizer) check_optimizer(mesh, *program.optimizer);
  const bool apart = mesh.over_processes();
  const int64_t on_host = mesh.devices.size() * (apart ? mesh.group->local_size() : 1);
  const int64_t threads = threads_per_device(on_host, mesh.threads_per_device);
  if (mesh.tensor == 1 && mesh.pipe > 1) return bind_pipeline(program, stages_of(mesh, threads));
  const TensorSettings settings{.devices = mesh.devices,
                                .tensor = mesh.tensor,
                                .threads_per_device = threads,
                                .memory_limit = mesh.memory_limit,
                                .processes = apart ? mesh.group->processes() : nullptr};
  const auto calls = calls_of(mesh, *program.network);
  return std::make_unique<TensorExecution>(
      program, settings, [&](const TensorExecution::Part& part) { return make_part(mesh, calls, part); });
}

std::string plan_of(const TensorMesh& mesh, const Network& network) {
  return graph_within(network) ? sharding::tensor_plan(network, mesh.tensor) : "";
}

}  // namespace tandem::distribute
