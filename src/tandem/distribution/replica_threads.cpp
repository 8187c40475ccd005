#include "tandem/distribution/replica_threads.h"

#include <ATen/Parallel.h>
#include <pthread.h>

#include <string>

#include "tandem/kernels/own_threads.h"

namespace tandem::distribute {

ReplicaThreads::ReplicaThreads(int64_t replicas, int64_t threads_per_device) : threads_per_device_(threads_per_device) {
  const int before = at::get_num_threads();
  for (int64_t rank = 0; rank < replicas; ++rank) threads_.emplace_back([this, rank] { serve(rank); });
  // at::set_num_threads also sets what threads made later begin with: when all replicas have theirs, the caller's is
  // set again.
  run([](int64_t) {});
  at::set_num_threads(before);
}

ReplicaThreads::~ReplicaThreads() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  start_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void ReplicaThreads::run(const std::function<void(int64_t)>& work,
                         const std::function<void(const std::string&)>& failed) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  failed_ = &failed;
  failure_ = nullptr;
  running_ = size();
  ++round_;
  start_.notify_all();
  done_.wait(lock, [&] { return running_ == 0; });
  work_ = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ReplicaThreads::serve(int64_t rank) {
  pthread_setname_np(pthread_self(), ("replica " + std::to_string(rank)).c_str());
  kernels::set_own_threads(threads_per_device_);
  uint64_t seen = 0;
  while (true) {
    std::unique_lock lock(mutex_);
    start_.wait(lock, [&] { return ending_ || round_ != seen; });
    if (ending_) return;
    seen = round_;
    const auto& work = *work_;
    const auto& failed = *failed_;
    lock.unlock();
    std::exception_ptr failure;
    std::string message;
    try {
      work(rank);
    } catch (const std::exception& error) {
      failure = std::current_exception();
      message = error.what();
    } catch (...) {
      failure = std::current_exception();
      message = "unknown exception";
    }
    lock.lock();
    const bool first = failure && !failure_;
    if (first) failure_ = failure;
    lock.unlock();
    if (first && failed) failed(message);
    lock.lock();
    if (--running_ == 0) done_.notify_one();
  }
}

}  // namespace tandem::distribute
