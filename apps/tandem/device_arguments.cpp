#include "device_arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "numbers.h"
#include "tandem/cluster/who_am_i.h"
#include "tandem/core/error.h"

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
  command.add_option(
      "--strategy", strategy,
      "single (default for one device) | mirrored (default for several) | data-parallel (default for "
      "one of several processes: these devices in each of them) | parameter-server (devices are its workers)");
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
  command.add_option("--staleness", staleness, "How many updates old a gradient may be, in server mode stale")
      ->transform(whole_number(0));
}

Devices DeviceArguments::resolve() const {
  auto resolved = gpus > 0 ? Devices::gpus(gpus) : Devices::parse(devices);
  check_available(resolved);
  return resolved;
}

distribute::Strategy DeviceArguments::make(const Devices& resolved) const {
  const bool mirrored = resolved.size() > 1 || fixed_order > 0 || average_every > 0 || !shares.empty();
  const auto name = !strategy.empty()     ? strategy
                    : is_one_of_several() ? "data-parallel"
                    : mirrored            ? "mirrored"
                                          : "single";
  const bool served = name == "parameter-server";
  if (!served && (servers > 0 || !server_mode.empty() || staleness >= 0))
    throw InvalidArgument("--servers, --server-mode and --staleness need --strategy parameter-server");
  // Each process has a device of its own name, unless some are asked for.
  const bool in_processes = name == "data-parallel" || (served && is_one_of_several());
  const bool own = in_processes && devices == "auto" && gpus == 0 && visible_gpus() == 0;
  return distribute::make_strategy(name, {.devices = own ? Devices() : resolved,
                                          .threads_per_device = threads_per_device,
                                          .shares = shares,
                                          .fixed_order = fixed_order,
                                          .all_reduce = all_reduce,
                                          .average_every = average_every,
                                          .servers = std::max<int64_t>(servers, 1),
                                          .server_mode = server_mode.empty() ? "sync" : server_mode,
                                          .staleness = staleness});
}

distribute::Strategy DeviceArguments::make_for_evaluator(const Devices& resolved) const {
  return distribute::make_strategy(resolved.size() > 1 ? "mirrored" : "single",
                                   {.devices = resolved, .threads_per_device = threads_per_device});
}

}  // namespace tandem::cli
