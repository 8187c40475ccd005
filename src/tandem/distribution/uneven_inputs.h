#pragma once
#include <functional>

#include "tandem/distribution/module_gradients.h"
#include "tandem/distribution/process_group.h"

namespace torch {
namespace nn {
class Module;
}
namespace optim {
class Optimizer;
}
}  // namespace torch

namespace tandem::distribute {

struct JoinOptions {
  /// Gradients are divided by the number of all ranks, so that a row counts as much late in the epoch as early in it;
  /// false: by that of the ranks that still have data.
  bool divide_by_initial_world_size = true;
};

/// What a loop trains on each rank.
struct TrainedModule {
  torch::nn::Module& module;
  ModuleGradients& gradients;
  const ProcessGroup& group;
  torch::optim::Optimizer* optimizer = nullptr;
};

/// Runs `loop` on each rank, whatever number of steps it makes there; see DistributedDataParallel::join.
void run_uneven(const TrainedModule& trained, const std::function<void()>& loop, const JoinOptions& options);

}  // namespace tandem::distribute
