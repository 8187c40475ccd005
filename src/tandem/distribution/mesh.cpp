#include "tandem/distribution/mesh.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/distribution/bind_tensor.h"

namespace tandem::distribute {
namespace {

class MeshKind : public StrategyKind {
 public:
  explicit MeshKind(MeshOptions options) : options_(std::move(options)) {}
  std::string name() const override { return "mesh"; }
  Devices devices() const override { return options_.devices; }
  void check(const Network& network) const override { check_splittable("Mesh", network); }
  std::unique_ptr<Execution> bind(const Program& program) const override {
    return bind_tensor("Mesh", program,
                       {.devices = options_.devices,
                        .tensor = options_.tensor,
                        .threads_per_device = threads_per_device(options_.devices.size(), options_.threads_per_device)});
  }

 private:
  const MeshOptions options_;
};

MeshOptions checked(MeshOptions options) {
  for (const auto& [axis, size] :
       {std::pair{"data", options.data}, {"pipe", options.pipe}, {"tensor", options.tensor}}) {
    if (size < 1) throw InvalidArgument(c10::str("Mesh: ", axis, " must be at least 1, got ", size));
  }
  if (options.pipe != 1) throw InvalidArgument(c10::str("Mesh: pipe must be 1, got ", options.pipe));
  check_tensor_devices(c10::str("Mesh of data ", options.data, " x pipe ", options.pipe, " x tensor ", options.tensor),
                       options.devices, options.data * options.pipe * options.tensor);
  return options;
}

}  // namespace

Mesh::Mesh(MeshOptions options) : Strategy(std::make_shared<MeshKind>(checked(std::move(options)))) {}

}  // namespace tandem::distribute
