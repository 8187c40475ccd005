#pragma once
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <cstdint>
#include <memory>

namespace tandem {

/// Runs `act` and returns how many blocks of memory tensors took meanwhile on this thread.
template <class Act>
int tensor_allocations(const Act& act) {
  struct Counter : c10::MemoryReportingInfoBase {
    void reportMemoryUsage(void*, int64_t size, std::size_t, std::size_t, c10::Device) override { count += size > 0; }
    bool memoryProfilingEnabled() const override { return true; }
    int count = 0;
  };
  const auto counter = std::make_shared<Counter>();
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, counter);
  act();
  return counter->count;
}

}  // namespace tandem
