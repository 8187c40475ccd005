#include "tandem/distribution/device_threads.h"

#include <ATen/Parallel.h>
#include <pthread.h>

#include <future>

#include "tandem/kernels/own_threads.h"

namespace tandem::distribute {

DeviceThreads::DeviceThreads(const std::vector<std::string>& names, int64_t threads_per_device) {
  const int before = at::get_num_threads();
  for (const auto& name : names) {
    auto& worker = *workers_.emplace_back(std::make_unique<Worker>());
    worker.thread = std::thread([&worker, name, threads_per_device] { serve(worker, name, threads_per_device); });
  }
  // Setting a thread's number also sets what threads made later begin with: when all have theirs, the caller's is set
  // again.
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    std::promise<void> began;
    start(i, [&began] { began.set_value(); });
    began.get_future().wait();
  }
  at::set_num_threads(before);
}

DeviceThreads::~DeviceThreads() {
  for (auto& worker : workers_) {
    {
      const std::lock_guard lock(worker->mutex);
      worker->ending = true;
    }
    worker->given.notify_one();
  }
  for (auto& worker : workers_) worker->thread.join();
}

void DeviceThreads::start(std::size_t i, std::function<void()> task) {
  auto& worker = *workers_[i];
  {
    const std::lock_guard lock(worker.mutex);
    worker.tasks.push_back(std::move(task));
  }
  worker.given.notify_one();
}

void DeviceThreads::serve(Worker& worker, const std::string& name, int64_t threads) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());  // as long as the kernel takes
  kernels::set_own_threads(threads);
  while (true) {
    std::unique_lock lock(worker.mutex);
    worker.given.wait(lock, [&] { return worker.ending || !worker.tasks.empty(); });
    if (worker.tasks.empty()) return;
    auto task = std::move(worker.tasks.front());
    worker.tasks.pop_front();
    lock.unlock();
    task();
  }
}

}  // namespace tandem::distribute
