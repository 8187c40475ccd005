#pragma once
#include <CLI/App.hpp>
#include <cstdint>
#include <string>

#include "tandem/distribution/strategy.h"

namespace tandem::cli {

/// The flags that say where a model runs, the same for every command that runs one.
struct DeviceArguments {
  std::string devices = "auto";
  int64_t gpus = 0;  // 0: as `devices` says
  std::string strategy;
  int64_t threads_per_device = 0;  // 0: the cores divided by the devices

  void add_to(CLI::App& command);
  /// Checked to be there. Throws InvalidArgument, naming devices asked for and visible.
  Devices resolve() const;
  /// "single" for one device and "mirrored" for several, unless --strategy names one.
  distribute::Strategy make(const Devices& resolved) const;
};

}  // namespace tandem::cli
