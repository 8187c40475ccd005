#pragma once
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string>

#include "tandem/distribution/device_threads.h"

namespace tandem::distribute {

/// One thread a replica. A step is one function that all threads run with their rank.
class ReplicaThreads {
 public:
  /// `threads_per_device`: how many threads LibTorch may use for the operations of one replica.
  ReplicaThreads(int64_t replicas, int64_t threads_per_device);

  /// Runs `work(rank)` on every replica's thread and returns when all are done. When one throws, `failed` is called at
  /// once with the message, so that the others can be woken; when all have ended, the first failure is thrown here.
  void run(const std::function<void(int64_t)>& work, const std::function<void(const std::string&)>& failed = {});

 private:
  void work_as(int64_t rank);

  std::mutex mutex_;
  std::condition_variable done_;
  const std::function<void(int64_t)>* work_ = nullptr;
  const std::function<void(const std::string&)>* failed_ = nullptr;
  int64_t running_ = 0;
  std::exception_ptr failure_;  // the first of the round
  DeviceThreads threads_;       // last: they end before what they use
};

}  // namespace tandem::distribute
