#include "tandem/distribution/tensor_parallel.h"

#include <algorithm>

#include "tandem/distribution/tensor_kind.h"

namespace tandem::distribute {
namespace {

TensorMesh mesh_of(const TensorParallelOptions& options) {
  TensorMesh mesh{.who = "TensorParallel",
                  .group = options.group,
                  .devices = options.devices,
                  .threads_per_device = options.threads_per_device,
                  .memory_limit = options.memory_limit};
  mesh.tensor = mesh.over_processes() ? mesh.group->world_size() : std::max<int64_t>(1, mesh.devices.size());
  return checked_mesh(mesh);
}

}  // namespace

TensorParallel::TensorParallel(TensorParallelOptions options)
    : Strategy(std::make_shared<TensorKind>("tensor", mesh_of(options))) {}

}  // namespace tandem::distribute
