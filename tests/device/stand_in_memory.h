#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>

namespace tandem::testing {

/// Makes the stand-in's two devices, their streams, events and page-locked memory known to LibTorch.
void register_stand_in_devices();

/// Memory of the stand-in's current device: mapped twice, closed where tensors point, open elsewhere.
c10::Allocator& stand_in_memory();

/// Bytes of a device in use, and the most since this was last asked.
int64_t stand_in_bytes(c10::DeviceIndex device);
int64_t stand_in_peak_bytes(c10::DeviceIndex device);

/// A tensor of the CPU on the open side of the same memory; `tensor` itself where it is the CPU's.
at::Tensor opened(const at::Tensor& tensor);

}  // namespace tandem::testing
