#include "tandem/training/step_gate.h"

namespace tandem {

bool StepGate::pass() {
  std::unique_lock lock(mutex_);
  loop_ = std::this_thread::get_id();
  in_flight_ = false;
  changed_.notify_all();
  changed_.wait(lock, [this] { return !paused_ || stopped_; });
  in_flight_ = !stopped_;
  open_.store(in_flight_, std::memory_order_release);
  return in_flight_;
}

void StepGate::end() {
  const std::lock_guard lock(mutex_);
  in_flight_ = false;
  open_.store(false, std::memory_order_release);
  changed_.notify_all();
}

void StepGate::pause() {
  std::unique_lock lock(mutex_);
  paused_ = true;
  open_.store(false, std::memory_order_release);
  if (loop_ == std::this_thread::get_id()) return;
  changed_.wait(lock, [this] { return !in_flight_ || !paused_; });
}

void StepGate::resume() {
  const std::lock_guard lock(mutex_);
  paused_ = false;
  changed_.notify_all();
}

void StepGate::stop() {
  stops_.request_stop();
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  open_.store(false, std::memory_order_release);
  changed_.notify_all();
}

bool StepGate::paused() const {
  const std::lock_guard lock(mutex_);
  return paused_;
}

}  // namespace tandem
