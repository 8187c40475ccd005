#include "device_arguments.h"

#include <c10/util/StringUtil.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "mesh_argument.h"
#include "numbers.h"
#include "tandem/cluster/who_am_i.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"

namespace tandem::cli {
namespace {

bool is_one_of_several() {
  const auto member = cluster::who_am_i(cluster::Environment());
  return member.trains() && member.world_size > 1;
}

}  // namespace

void DeviceArguments::add_to(CLI::App& command) {
  auto* list = command.add_option(
      "--devices", devices,
      "cpu:0,cpu:1 | cpu*4 | gpu*4 | gpu:0/2,gpu:0/2 | auto (all visible GPUs, else one CPU device)");
  command.add_option("-g,--gpus", gpus, "Number of GPUs: the same as --devices gpu*G")
      ->excludes(list)
      ->transform(whole_number(1));
  command.add_option("--strategy", strategy,
                     "single (default for one device) | mirrored (default for several) | data-parallel (default for "
                     "one of several processes: these devices in each of them) | parameter-server (devices are its "
                     "workers) | pipeline (devices are its stages) | tensor (each device has a part of every layer) | "
                     "zero1, zero2, zero3 (devices, of all processes, divide optimizer state, gradients, parameters)");
  command
      .add_option("--threads-per-device", threads_per_device,
                  "Threads of each device (default: the cores divided by the devices; also TANDEM_THREADS_PER_DEVICE)")
      ->transform(whole_number(1));
}

void DeviceArguments::add_training_to(CLI::App& command) {
  command
      .add_option("--fixed-order", fixed_order,
                  "Logical shards of a batch: the same weights to the bit on any number of devices that divides it; "
                  "prints their SHA-256")
      ->transform(whole_number(1));
  command.add_option("--shares", shares, "Parts of each batch by device: 3,1 | auto (by measured speed)");
  command
      .add_option("--all-reduce", all_reduce,
                  "How gradients travel: ring | tree | direct | host (one update, in host memory) | auto (by size)")
      ->capture_default_str();
  command
      .add_option("--average-every", average_every,
                  "Let each device update by itself and average the parameters every K updates (local SGD)")
      ->transform(whole_number(1));
  command.add_option("--servers", servers, "Parameter servers in this process (default: 1)")
      ->transform(whole_number(1));
  command.add_option("--server-mode", server_mode, "When servers apply gradients: sync (default) | stale | async");
  auto* sync = command.add_option(
      "--server-sync", server_sync,
      "A server on every host with all parameters, for its own workers, and how they average: all-reduce | ring | "
      "async-scatter-sum");
  command.add_option("--sync-every", sync_every, "Updates between two averages (default 1; 0: at the end of epochs)")
      ->transform(whole_number(0))
      ->needs(sync);
  command.add_option("--staleness", staleness, "How many updates old a gradient may be, in server mode stale")
      ->transform(whole_number(0));
  command
      .add_option("--backup-workers", backup_workers,
                  "Leave the B slowest workers' gradients out of each update, in server mode sync")
      ->transform(whole_number(0));
  command
      .add_option("--micro-batches", micro_batches,
                  "Parts of each batch that follow one another in a pipeline (default: 4)")
      ->transform(whole_number(1));
  command.add_option("--pipeline-schedule", pipeline_schedule,
                     "What a stage does when: 1f1b (default) | gpipe | interleaved");
  command.add_option("--pipeline-chunks", pipeline_chunks, "Parts of the model on each stage (default: 1)")
      ->transform(whole_number(1));
  command.add_option(
      "--mesh", mesh,
      "The devices as a product: data=2,pipe=2,tensor=2 (replicas, each of so many stages, each with its "
      "layers over so many devices); replicas divide their memory with --strategy zero1, zero2 or zero3");
  command.add_flag("--recompute", recompute, "Compute a stage's forward again in backward: less memory, more time");
  command.add_flag("--offload-optimizer", offload_optimizer,
                   "Keep the optimizer's state of zero1, zero2, zero3 in host memory; not on CPUs, where it is there");
  command
      .add_option("--memory-limit", memory_limit,
                  "Bytes of memory that each device may take; not with single and parameter-server")
      ->transform(whole_number(1));
}

Devices DeviceArguments::resolve() const {
  auto resolved = gpus > 0 ? Devices::gpus(gpus) : Devices::parse(devices);
  check_available(resolved);
  return resolved;
}

void DeviceArguments::check_servers() const {
  const auto job = cluster::who_am_i(cluster::Environment());
  if (servers > 0 && !job.servers.empty())
    throw InvalidArgument(c10::str("--servers: must not be given where the job has servers (", job.servers.size(),
                                   " by ", job.source, "), got ", servers));
  const auto count = job.servers.empty() ? std::max<int64_t>(servers, 1) : static_cast<int64_t>(job.servers.size());
  if (!server_sync.empty() && count == 1 && job.rank == 0)
    log_warning("--server-sync: there is one server, which averages with nobody");
}

distribute::Strategy DeviceArguments::make(const Devices& resolved) const {
  const bool mirrored = resolved.size() > 1 || fixed_order > 0 || average_every > 0 || !shares.empty();
  const bool zero = strategy == "zero1" || strategy == "zero2" || strategy == "zero3";
  const auto known = distribute::strategy_names();
  if (!strategy.empty() && std::find(known.begin(), known.end(), strategy) == known.end())
    throw_unknown_name("strategy", strategy, known);
  if (!mesh.empty() && !strategy.empty() && strategy != "mesh" && !zero)
    throw InvalidArgument(c10::str("--mesh must not be given together with --strategy ", strategy));
  const MeshAxes axes = mesh.empty() ? MeshAxes() : parse_mesh(mesh);
  const auto name = !mesh.empty()         ? "mesh"
                    : !strategy.empty()   ? strategy
                    : is_one_of_several() ? "data-parallel"
                    : mirrored            ? "mirrored"
                                          : "single";
  const bool served = name == "parameter-server";
  if (!served && (servers > 0 || !server_mode.empty() || staleness >= 0 || backup_workers > 0 || !server_sync.empty()))
    throw InvalidArgument(
        "--servers, --server-mode, --staleness, --backup-workers and --server-sync need --strategy parameter-server");
  if (name != "pipeline" && axes.pipe == 1 &&
      (micro_batches > 0 || pipeline_chunks > 0 || !pipeline_schedule.empty() || recompute)) {
    throw InvalidArgument(
        "--micro-batches, --pipeline-schedule, --pipeline-chunks and --recompute need --strategy pipeline, or "
        "--mesh with pipe");
  }
  if (served) check_servers();
  if (offload_optimizer && (!zero || !mesh.empty()))
    throw InvalidArgument("--offload-optimizer needs --strategy zero1, zero2 or zero3, without --mesh");
  // Each process has a device of its own name, unless some are asked for.
  const bool parts = name == "tensor" || name == "mesh" || name == "pipeline";
  if (memory_limit > 0 && name != "mirrored" && name != "data-parallel" && !zero && !parts)
    throw InvalidArgument(
        "--memory-limit needs --strategy mirrored, data-parallel, pipeline, tensor, zero1, zero2 or zero3, or --mesh");
  const bool in_processes = name == "data-parallel" || ((served || zero || parts) && is_one_of_several());
  const bool own = in_processes && devices == "auto" && gpus == 0 && visible_gpus() == 0;
  return distribute::make_strategy(name, {.devices = own ? Devices() : resolved,
                                          .threads_per_device = threads_per_device,
                                          .shares = shares,
                                          .fixed_order = fixed_order,
                                          .all_reduce = all_reduce,
                                          .average_every = average_every,
                                          .servers = std::max<int64_t>(servers, 1),
                                          .server_mode = server_mode.empty() ? "sync" : server_mode,
                                          .staleness = staleness,
                                          .backup_workers = backup_workers,
                                          .server_sync = server_sync,
                                          .sync_every = sync_every.value_or(1),
                                          .micro_batches = micro_batches > 0 ? micro_batches : 4,
                                          .pipeline_schedule = pipeline_schedule.empty() ? "1f1b" : pipeline_schedule,
                                          .pipeline_chunks = std::max<int64_t>(pipeline_chunks, 1),
                                          .recompute = recompute,
                                          .offload_optimizer = offload_optimizer,
                                          .memory_limit = memory_limit,
                                          .mesh_data = mesh.empty() ? 0 : axes.data,
                                          .mesh_pipe = axes.pipe,
                                          .mesh_tensor = axes.tensor,
                                          .mesh_zero = !mesh.empty() && zero ? strategy.back() - '0' : 0});
}

distribute::Strategy DeviceArguments::make_for_evaluator(const Devices& resolved) const {
  return distribute::make_strategy(resolved.size() > 1 ? "mirrored" : "single",
                                   {.devices = resolved, .threads_per_device = threads_per_device});
}

}  // namespace tandem::cli
