#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/distribution/process_group.h"
#include "tandem/distribution/strategy.h"

namespace tandem::distribute {

struct MeshOptions {
  /// data x pipe x tensor CPUs of this process: those of a tensor group one after the other, then the stages, then the
  /// replicas.
  Devices devices = {};
  /// As in TensorParallelOptions: so many processes, in that order.
  std::optional<ProcessGroup> group = {};
  int64_t data = 1;    // replicas, which share a batch's rows
  int64_t pipe = 1;    // stages of each, through which micro batches go
  int64_t tensor = 1;  // devices that have a stage's layers between them
  // As in PipelineParallelOptions.
  int64_t micro_batches = 4;
  std::string schedule = "1f1b";
  int64_t chunks = 1;
  bool recompute = false;
  /// 1, 2, 3: replicas divide the optimizer's state, gradients, parameters among themselves, as Zero says; those of a
  /// stage what the stage has.
  int64_t zero = 0;
  int64_t threads_per_device = 0;  // 0: TANDEM_THREADS_PER_DEVICE, else this process's share of the cores / devices
  int64_t memory_limit = 0;        // as in MirroredOptions, of a device
};

/// Products of the ways to train on many devices (Narayanan et al. 2021): replicas of a model, each of stages, each
/// divided as TensorParallel divides layers. The numbers are those of one device. Throws InvalidArgument where the
/// devices are not data x pipe x tensor, and as TensorParallel, PipelineParallel and Zero do.
struct Mesh : Strategy {
  explicit Mesh(MeshOptions options);
};

}  // namespace tandem::distribute
