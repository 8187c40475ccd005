#pragma once
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tandem::distribute {

/// One thread a device, kept for the whole run, each with its own share of the cores. A step is one function that all
/// threads run with their rank.
class ReplicaThreads {
 public:
  /// `threads_per_device`: how many threads LibTorch may use for the operations of one replica.
  ReplicaThreads(int64_t replicas, int64_t threads_per_device);
  ~ReplicaThreads();
  ReplicaThreads(const ReplicaThreads&) = delete;
  ReplicaThreads& operator=(const ReplicaThreads&) = delete;

  /// Runs `work(rank)` on every replica's thread and returns when all are done. When one throws, `failed` is called at
  /// once with the message, so that the others can be woken; when all have ended, the first failure is thrown here.
  void run(const std::function<void(int64_t)>& work, const std::function<void(const std::string&)>& failed = {});

  int64_t size() const { return static_cast<int64_t>(threads_.size()); }
  int64_t threads_per_device() const { return threads_per_device_; }

 private:
  void serve(int64_t rank);

  const int64_t threads_per_device_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(int64_t)>* work_ = nullptr;
  const std::function<void(const std::string&)>* failed_ = nullptr;
  uint64_t round_ = 0;
  int64_t running_ = 0;
  bool ending_ = false;
  std::exception_ptr failure_;  // the first of the round
  std::vector<std::thread> threads_;
};

}  // namespace tandem::distribute
