#pragma once
#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/distribution/strategy.h"

namespace tandem::cli {

/// The flags that say where a model runs, the same for every command that runs one.
struct DeviceArguments {
  std::string devices = "auto";
  int64_t gpus = 0;  // 0: as `devices` says
  std::string strategy;
  int64_t threads_per_device = 0;  // 0: the cores divided by the devices
  // Of training alone: add_training_to makes their flags.
  std::string shares, all_reduce = "auto";
  int64_t fixed_order = 0, average_every = 0;
  std::string server_mode;              // empty: sync
  int64_t servers = 0, staleness = -1;  // not given
  int64_t backup_workers = 0;
  std::string server_sync;  // empty: each server has a range of the parameters
  std::optional<int64_t> sync_every;
  int64_t micro_batches = 0, pipeline_chunks = 0;  // not given
  std::string pipeline_schedule;                   // empty: 1f1b
  bool recompute = false;
  bool offload_optimizer = false;
  int64_t memory_limit = 0;  // bytes; 0: none
  std::string mesh;          // empty: none

  void add_to(CLI::App& command);
  void add_training_to(CLI::App& command);
  /// Checked to be there. Throws InvalidArgument, naming devices asked for and visible.
  Devices resolve() const;
  /// Unless --strategy names one: "data-parallel" where this is one of several processes, "mirrored" for several
  /// devices and where a flag asks for what it does, else "single".
  distribute::Strategy make(const Devices& resolved) const;
  /// What evaluates beside parameter servers, of whose workers this process is none: "mirrored" or "single".
  distribute::Strategy make_for_evaluator(const Devices& resolved) const;

 private:
  // What would be given in vain.
  void check_servers() const;
};

}  // namespace tandem::cli
