#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "tandem/core/random.h"
#include "tandem/data/batch.h"
#include "tandem/distribution/execution.h"
#include "tandem/distribution/replica_threads.h"

namespace tandem::distribute {

/// A step that one replica makes by itself, from a whole batch.
struct FreeStep {
  data::Batch batch;
  RandomStream random;
  double rate = 0;
  const Observer* observer = nullptr;  // must outlive the step
};

/// Replicas that do not wait for one another: each step is made by the next one that is free, while whoever gives the
/// steps goes on. Calls come from one thread.
class FreeSteps {
 public:
  /// Both are called on the replica's thread: `make` for each of its steps, `leave` when no more will be given, while
  /// others may still be in one.
  using Make = std::function<StepResult(int64_t replica, const FreeStep& step)>;
  using Leave = std::function<void(int64_t replica)>;
  explicit FreeSteps(ReplicaThreads& threads, Make make, Leave leave = {})
      : threads_(threads), make_(std::move(make)), leave_(std::move(leave)) {}
  /// Those that are given wait no more; those that are being made end.
  ~FreeSteps();
  FreeSteps(const FreeSteps&) = delete;
  FreeSteps& operator=(const FreeSteps&) = delete;

  /// Returns when no step waits for a free replica.
  void await_room();
  /// Returns when at most one step waits for a free replica. Throws what one has thrown, and forgets those that waited.
  void give(FreeStep step);
  /// The result of one that has ended, the oldest that was not taken yet.
  std::optional<StepResult> take();
  /// Returns when all have ended; until the next one is given the threads are free for other work. Throws as give.
  void finish();

 private:
  void serve(int64_t replica);
  // No more will be given; those that wait are made still, or `dropped`.
  void close(bool dropped);

  ReplicaThreads& threads_;
  const Make make_;
  const Leave leave_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<FreeStep> waiting_;
  std::deque<StepResult> results_;
  bool closed_ = false;  // no more will be given
  std::exception_ptr failure_;
  std::thread session_;  // keeps the threads busy with serve
};

}  // namespace tandem::distribute
