#include "tandem/distribution/mesh.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/distribution/tensor_kind.h"

namespace tandem::distribute {
namespace {

TensorMesh mesh_of(const MeshOptions& options) {
  for (const auto& [axis, size] :
       {std::pair{"data", options.data}, {"pipe", options.pipe}, {"tensor", options.tensor}}) {
    if (size < 1) throw InvalidArgument(c10::str("Mesh: ", axis, " must be at least 1, got ", size));
  }
  return checked_mesh({.who = "Mesh",
                       .group = options.group,
                       .devices = options.devices,
                       .data = options.data,
                       .pipe = options.pipe,
                       .tensor = options.tensor,
                       .micro_batches = options.micro_batches,
                       .schedule = options.schedule,
                       .chunks = options.chunks,
                       .recompute = options.recompute,
                       .zero = options.zero,
                       .threads_per_device = options.threads_per_device,
                       .memory_limit = options.memory_limit});
}

}  // namespace

Mesh::Mesh(MeshOptions options) : Strategy(std::make_shared<TensorKind>("mesh", mesh_of(options))) {}

}  // namespace tandem::distribute
