#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tandem/distribution/process_group.h"
#include "tandem/distribution/strategy.h"

namespace tandem::distribute {

/// A mesh of data x pipe x tensor: on devices of this process, or of each process of a group, which must have one where
/// layers are divided.
struct TensorMesh {
  std::string who;  // the strategy, for messages
  std::optional<ProcessGroup> group = {};
  Devices devices = {};
  int64_t data = 1, pipe = 1, tensor = 1;
  // As in PipelineParallelOptions.
  int64_t micro_batches = 4;
  std::string schedule = "1f1b";
  int64_t chunks = 1;
  bool recompute = false;
  int64_t zero = 0;  // what replicas divide among themselves, as in ZeroOptions; 0: nothing
  int64_t threads_per_device = 0;
  int64_t memory_limit = 0;

  bool over_processes() const { return group && group->processes() && group->world_size() > 1; }
  int64_t all_devices() const { return devices.size() * (over_processes() ? group->world_size() : 1); }
  bool leads() const { return !group || group->rank() == 0; }
};

/// The devices named or, of processes, each one's own. Throws InvalidArgument where they are not CPUs, not there, or
/// not data x pipe x tensor, and on settings that do not fit.
TensorMesh checked_mesh(TensorMesh mesh);

/// What can be said of a network before it is bound: all, where it knows its inputs. Throws as bind_tensor does.
void check_network(const TensorMesh& mesh, const Network& network);
void check_optimizer(const TensorMesh& mesh, const Optimizer& optimizer);

/// Throws InvalidArgument where the model is no graph, no layer can be split, the optimizer needs weights whole that
/// are split, or the model cannot be staged.
std::unique_ptr<Execution> bind_tensor(const TensorMesh& mesh, const Program& program);

/// sharding::tensor_plan of what bind_tensor would make; empty where `network` does not know its inputs yet.
std::string plan_of(const TensorMesh& mesh, const Network& network);

}  // namespace tandem::distribute
