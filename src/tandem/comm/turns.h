#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace tandem::comm {

/// How many of the ranks that share a device compute at a time. A rank holds a turn while it computes; where it waits
/// for other ranks the communicator gives the turn to another and takes one again before it goes on.
class Turns {
 public:
  /// `at_once` >= 1, else InvalidArgument.
  explicit Turns(int64_t at_once);
  /// Returns when this thread has a turn.
  void acquire();
  void release();
  /// Threads wait for a turn.
  bool wanted() const { return wanting_.load(std::memory_order_relaxed) > 0; }

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  int64_t free_;                     // guarded by mutex_
  std::atomic<int64_t> wanting_{0};  // changed under mutex_
};

}  // namespace tandem::comm
