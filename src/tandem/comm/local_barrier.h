#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace tandem::comm {

/// A barrier for the threads of one process that can be broken: when a rank fails, the others must not wait for it.
/// Waits spin for a moment before they sleep, since ranks of one step arrive close together.
class LocalBarrier {
 public:
  LocalBarrier(int64_t world_size, std::chrono::duration<double> limit);

  /// Returns when all ranks have come. Throws PeerError when the barrier is broken or the limit passes; the message
  /// names the ranks that did not come.
  void wait(int64_t rank);
  /// Wakes all ranks with PeerError, now and at every later wait, until reset.
  void break_all(const std::string& reason);
  /// Makes a broken barrier usable again; no rank may be waiting.
  void reset();

 private:
  [[noreturn]] void throw_broken(int64_t rank);

  const int64_t world_size_;
  const std::chrono::duration<double> limit_;
  std::atomic<int64_t> arrived_{0};
  std::atomic<uint64_t> generation_{0};
  std::atomic<bool> broken_{false};
  std::vector<std::atomic<uint64_t>> visits_;  // by rank: how often it has come
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string reason_;  // guarded by mutex_
};

}  // namespace tandem::comm
