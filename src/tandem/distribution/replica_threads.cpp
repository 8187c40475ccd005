#include "tandem/distribution/replica_threads.h"

#include <utility>
#include <vector>

namespace tandem::distribute {
namespace {

std::vector<std::string> names_of(int64_t replicas) {
  std::vector<std::string> names;
  for (int64_t rank = 0; rank < replicas; ++rank) names.push_back("replica " + std::to_string(rank));
  return names;
}

}  // namespace

ReplicaThreads::ReplicaThreads(int64_t replicas, int64_t threads_per_device)
    : threads_(names_of(replicas), threads_per_device) {}

void ReplicaThreads::run(const std::function<void(int64_t)>& work,
                         const std::function<void(const std::string&)>& failed) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  failed_ = &failed;
  failure_ = nullptr;
  running_ = static_cast<int64_t>(threads_.size());
  for (int64_t rank = 0; rank < running_; ++rank)
    threads_.start(static_cast<std::size_t>(rank), [this, rank] { work_as(rank); });
  done_.wait(lock, [&] { return running_ == 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ReplicaThreads::work_as(int64_t rank) {
  std::exception_ptr failure;
  std::string message;
  try {
    (*work_)(rank);
  } catch (const std::exception& error) {
    failure = std::current_exception();
    message = error.what();
  } catch (...) {
    failure = std::current_exception();
    message = "unknown exception";
  }
  std::unique_lock lock(mutex_);
  const bool first = failure && !failure_;
  if (first) failure_ = failure;
  lock.unlock();
  if (first && *failed_) (*failed_)(message);
  lock.lock();
  if (--running_ == 0) done_.notify_one();
}

}  // namespace tandem::distribute
