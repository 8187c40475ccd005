#pragma once
#include <atomic>
#include <cstdint>

#include "tandem/comm/doorbell.h"

namespace tandem::comm {

/// A Doorbell that lies in memory which processes share: all zeros is one that has not rung.
class SharedBell {
 public:
  uint32_t rings() const { return rings_.load(); }
  void ring();
  /// As Doorbell::sleep; may also return true without a ring.
  bool sleep(uint32_t heard, Doorbell::Clock::time_point deadline);

 private:
  std::atomic<uint32_t> rings_{0};
  std::atomic<uint32_t> asleep_{0};
};

}  // namespace tandem::comm
