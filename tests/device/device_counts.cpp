#include "device_counts.h"

#include <ATen/DeviceAccelerator.h>

#include "stand_in_memory.h"
#include "stand_in_order.h"

namespace tandem::testing {

// Index 0 of a statistic is the sum over the allocator's pools.
int64_t device_bytes(c10::DeviceIndex device) {
  if (at::getAccelerator() == c10::kPrivateUse1) return stand_in_bytes(device);
  return at::accelerator::getDeviceStats(device).allocated_bytes[0].current;
}

std::optional<int64_t> stream_waits_of_host() {
  return at::getAccelerator() == c10::kPrivateUse1 ? std::optional(stream_waits()) : std::nullopt;
}

int64_t device_peak_bytes(c10::DeviceIndex device) {
  if (at::getAccelerator() == c10::kPrivateUse1) return stand_in_peak_bytes(device);
  const int64_t peak = at::accelerator::getDeviceStats(device).allocated_bytes[0].peak;
  at::accelerator::resetPeakStats(device);
  return peak;
}

}  // namespace tandem::testing
