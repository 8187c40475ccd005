#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tandem::distribute {

/// Threads that compute for devices, kept for the whole run. Each has its share of the cores and does one task after
/// the other.
class DeviceThreads {
 public:
  /// One thread for each of `names`, which debuggers show. `threads_per_device`: how many threads LibTorch may use for
  /// the operations of one device.
  DeviceThreads(const std::vector<std::string>& names, int64_t threads_per_device);
  ~DeviceThreads();
  DeviceThreads(const DeviceThreads&) = delete;
  DeviceThreads& operator=(const DeviceThreads&) = delete;

  std::size_t size() const { return workers_.size(); }
  /// Lets thread `i` do `task` after those that it was given before. A task must not throw.
  void start(std::size_t i, std::function<void()> task);

 private:
  struct Worker {
    std::mutex mutex;
    std::condition_variable given;
    std::deque<std::function<void()>> tasks;
    bool ending = false;
    std::thread thread;
  };
  static void serve(Worker& worker, const std::string& name);

  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace tandem::distribute
