#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tandem/distribution/process_group.h"
#include "tandem/distribution/strategy.h"

namespace tandem::distribute {

/// A mesh of data x tensor: on devices of this process, or on one device of each process of a group.
struct TensorMesh {
  std::string who;  // the strategy, for messages
  std::optional<ProcessGroup> group = {};
  Devices devices = {};
  int64_t data = 1, tensor = 1;
  int64_t threads_per_device = 0;

  bool over_processes() const { return group && group->processes() && group->world_size() > 1; }
  int64_t all_devices() const { return over_processes() ? group->world_size() : devices.size(); }
  bool leads() const { return !group || group->rank() == 0; }
};

/// The devices named or, of processes, each one's own. Throws InvalidArgument where they are not CPUs, not there, or
/// not data x tensor.
TensorMesh checked_mesh(TensorMesh mesh);

/// What can be said of a network before it is bound. Throws InvalidArgument in the name of `who`, a strategy.
void check_splittable(const std::string& who, const Network& network);

/// Throws InvalidArgument where the model is no graph, no layer can be split, or the optimizer needs weights whole that
/// are split.
std::unique_ptr<Execution> bind_tensor(const TensorMesh& mesh, const Program& program);

/// sharding::tensor_plan of what bind_tensor would make; empty where `network` does not know its inputs yet.
std::string plan_of(const TensorMesh& mesh, const Network& network);

}  // namespace tandem::distribute
