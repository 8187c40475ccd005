#include "tandem/distribution/device_threads.h"

#include <pthread.h>

#include "tandem/kernels/own_threads.h"

namespace tandem::distribute {

DeviceThreads::DeviceThreads(const std::vector<std::string>& names, int64_t threads_per_device) {
  for (const auto& name : names) {
    auto& worker = *workers_.emplace_back(std::make_unique<Worker>());
    worker.thread = kernels::start_thread(threads_per_device, [&worker, name] { serve(worker, name); });
  }
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

void DeviceThreads::serve(Worker& worker, const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());  // as long as the kernel takes
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
