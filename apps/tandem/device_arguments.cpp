#include "device_arguments.h"

#include <CLI/CLI.hpp>

#include "numbers.h"

namespace tandem::cli {

void DeviceArguments::add_to(CLI::App& command) {
  auto* list = command.add_option(
      "--devices", devices,
      "cpu:0,cpu:1 | cpu*4 | gpu*4 | gpu:0/2,gpu:0/2 | auto (all visible GPUs, else one CPU device)");
  command.add_option("-g,--gpus", gpus, "Number of GPUs: the same as --devices gpu*G")
      ->excludes(list)
      ->transform(whole_number(1));
  command.add_option("--strategy", strategy, "single (default for one device) | mirrored (default for several)");
  command
      .add_option("--threads-per-device", threads_per_device,
                  "Threads of each device (default: the cores divided by the devices; also TANDEM_THREADS_PER_DEVICE)")
      ->transform(whole_number(1));
}

Devices DeviceArguments::resolve() const {
  auto resolved = gpus > 0 ? Devices::gpus(gpus) : Devices::parse(devices);
  check_available(resolved);
  return resolved;
}

distribute::Strategy DeviceArguments::make(const Devices& resolved) const {
  const auto name = !strategy.empty() ? strategy : resolved.size() == 1 ? "single" : "mirrored";
  return distribute::make_strategy(name, {.devices = resolved, .threads_per_device = threads_per_device});
}

}  // namespace tandem::cli
