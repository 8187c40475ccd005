#pragma once
#include <concepts>
#include <memory>
#include <string>
#include <vector>

#include "tandem/core/device.h"
#include "tandem/distribution/execution.h"
#include "tandem/distribution/row_shares.h"

namespace tandem::distribute {

/// How a program is spread over devices. One file a strategy, one row in catalog.cpp.
class StrategyKind {
 public:
  virtual ~StrategyKind() = default;
  virtual std::string name() const = 0;
  /// Of this process.
  virtual Devices devices() const = 0;
  /// Of all processes.
  virtual int64_t all_devices() const { return devices().size(); }
  /// True in the process, mostly the only one, that writes files and prints.
  virtual bool leads() const { return true; }
  /// Where the layers of `network` compute, for a strategy that lets the network say.
  virtual Devices devices_of(const Network& /*network*/) const { return devices(); }
  /// How the layers of `network` are divided over the devices, as a table of lines; empty where they are not.
  virtual std::string plan(const Network& /*network*/) const { return {}; }
  /// What can be said before a network is bound, and perhaps built. Throws as bind does.
  virtual void check(const Network& /*network*/) const {}
  virtual void check_optimizer(const Optimizer& /*optimizer*/) const {}
  virtual void check_losses(const LossSet& /*losses*/) const {}
  /// Throws InvalidArgument, naming what cannot be held, when the program does not fit the strategy.
  virtual std::unique_ptr<Execution> bind(const Program& program) const = 0;
};

/// What `.strategy` holds; Mirrored({...}), SingleDevice("cpu:0") derive from it. Empty: one device with all cores.
class Strategy {
 public:
  Strategy() = default;
  Strategy(std::shared_ptr<const StrategyKind> kind) : kind_(std::move(kind)) {}
  bool empty() const { return !kind_; }
  const StrategyKind& operator*() const { return *kind_; }
  const StrategyKind* operator->() const { return kind_.get(); }

 private:
  std::shared_ptr<const StrategyKind> kind_;
};

/// Options that every strategy built by name understands (the command line's).
struct StrategyOptions {
  Devices devices = {};
  int64_t threads_per_device = 0;  // 0: TANDEM_THREADS_PER_DEVICE, else available cores / local devices
  // As in MirroredOptions.
  Shares shares = {};
  int64_t fixed_order = 0;
  std::string all_reduce = "auto";
  int64_t average_every = 0;
  // As in ParameterServerOptions.
  int64_t servers = 1;
  std::string server_mode = "sync";
  int64_t staleness = -1;
  int64_t backup_workers = 0;
  std::string server_sync = {};
  int64_t sync_every = 1;
  // As in PipelineParallelOptions.
  int64_t micro_batches = 4;
  std::string pipeline_schedule = "1f1b";
  int64_t pipeline_chunks = 1;
  bool recompute = false;
  // As in ZeroOptions.
  bool offload_optimizer = false;
  int64_t memory_limit = 0;
  // As in MeshOptions; data 0: as many as the devices give.
  int64_t mesh_data = 0, mesh_pipe = 1, mesh_tensor = 1, mesh_zero = 0;
};

/// Names of the strategies that can be made by name.
std::vector<std::string> strategy_names();

/// By name: "single" (without devices the first GPU, else cpu:0), "as-placed", "mirrored", "data-parallel" (joins the
/// processes of this one's job), "parameter-server", "pipeline", "tensor", "mesh", "zero1", "zero2", "zero3". Throws
/// InvalidArgument that proposes the nearest known names.
Strategy make_strategy(const std::string& name, const StrategyOptions& options);

/// Threads for the operations of one replica when `devices` share this machine: `asked` where positive, else
/// TANDEM_THREADS_PER_DEVICE, else cores / devices, at least 1.
int64_t threads_per_device(int64_t devices, int64_t asked);

}  // namespace tandem::distribute
