#include "tandem/layers/keras_tensor.h"

#include <atomic>

#include "tandem/core/error.h"

namespace tandem {
namespace {

thread_local std::optional<Device> scoped_device;

}  // namespace

const std::shared_ptr<const Node>& KerasTensor::node() const {
  if (!node_)
    throw InvalidArgument(
        "KerasTensor: must come from Input or from a layer's call before it is used, this one is empty");
  return node_;
}

const Shape& KerasTensor::shape() const { return node()->output_shapes[static_cast<std::size_t>(index_)]; }

uint64_t Node::next_number() {
  static std::atomic<uint64_t> made = 0;
  return made++;
}

DeviceScope::DeviceScope(const Device& device) : outer_(scoped_device) { scoped_device = device; }
DeviceScope::~DeviceScope() { scoped_device = outer_; }
const std::optional<Device>& DeviceScope::current() { return scoped_device; }

}  // namespace tandem
