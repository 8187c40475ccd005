#include "tandem/distribution/free_steps.h"

#include <utility>

namespace tandem::distribute {

FreeSteps::~FreeSteps() {
  close(true);
  if (session_.joinable()) session_.join();
}

void FreeSteps::close(bool dropped) {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  if (dropped) waiting_.clear();
  changed_.notify_all();
}

void FreeSteps::give(FreeStep step) {
  if (!session_.joinable()) {
    closed_ = false;
    session_ = std::thread([this] {
      try {
        threads_.run([this](int64_t replica) { serve(replica); }, [this](const std::string&) { close(true); });
      } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
      }
    });
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty() || closed_; });
  if (closed_) {
    lock.unlock();
    return finish();
  }
  waiting_.push_back(std::move(step));
  changed_.notify_all();
}

void FreeSteps::await_room() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty() || closed_; });
}

std::optional<StepResult> FreeSteps::take() {
  const std::lock_guard lock(mutex_);
  if (results_.empty()) return {};
  auto result = std::move(results_.front());
  results_.pop_front();
  return result;
}

void FreeSteps::finish() {
  if (!session_.joinable()) return;
  close(false);
  session_.join();
  if (!failure_) return;
  results_.clear();
  std::rethrow_exception(std::exchange(failure_, nullptr));
}

void FreeSteps::serve(int64_t replica) {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !waiting_.empty() || closed_; });
    if (waiting_.empty()) break;
    const auto step = std::move(waiting_.front());
    waiting_.pop_front();
    changed_.notify_all();
    lock.unlock();
    auto result = make_(replica, step);
    lock.lock();
    results_.push_back(std::move(result));
  }
  lock.unlock();
  if (leave_) leave_(replica);
}

}  // namespace tandem::distribute
