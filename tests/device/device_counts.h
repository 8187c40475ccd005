#pragma once
#include <c10/core/Device.h>

#include <cstdint>
#include <optional>

namespace tandem::testing {

/// Bytes of tensors on the device, as its allocator counts them, and the most since this was last asked.
int64_t device_bytes(c10::DeviceIndex device);
int64_t device_peak_bytes(c10::DeviceIndex device);

/// How often the host has waited until a stream was empty; nothing on a GPU, where nobody counts.
std::optional<int64_t> stream_waits_of_host();

}  // namespace tandem::testing
