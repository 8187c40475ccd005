#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace tandem::comm {

/// Wakes one thread that sleeps until other threads have changed something. The thread reads rings(), looks whether
/// what it waits for has come, and, if not, sleeps: a ring in between is not lost. Who changes something rings after.
class Doorbell {
 public:
  using Clock = std::chrono::steady_clock;

  uint64_t rings() const { return rings_.load(); }
  void ring();
  /// Returns true when the bell was rung since rings() was `heard`, false when `deadline` has passed.
  bool sleep(uint64_t heard, Clock::time_point deadline);

 private:
  std::atomic<uint64_t> rings_{0};
  std::atomic<bool> asleep_{false};
  std::mutex mutex_;
  std::condition_variable rung_;
};

}  // namespace tandem::comm
