#include "tandem/core/device_stream.h"

#include <ATen/DeviceAccelerator.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "tandem/core/gpu_plugin.h"

namespace tandem {

c10::Device torch_device(const Device& device) {
  if (device.kind == Device::Kind::cpu) return c10::kCPU;
  GpuPlugin::open();
  return {*at::getAccelerator(), static_cast<c10::DeviceIndex>(device.index)};
}

DeviceStream::DeviceStream(c10::Device device) : device_(device) {
  if (!device.is_cpu()) stream_ = c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
}

void DeviceStream::synchronize() const {
  if (stream_) stream_->synchronize();
}

}  // namespace tandem
