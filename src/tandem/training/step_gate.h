#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace tandem {

/// Where a training can be held, or ended, from outside: the loop passes it between steps, and between the batches of a
/// validation. As long as nobody closes it, passing costs one load.
class StepGate {
 public:
  /// For the loop: true when pass() would return true at once.
  bool is_open() const { return open_.load(std::memory_order_acquire); }
  /// For the loop: says that no step is in flight, waits while the gate is closed, and returns false when the training
  /// is to end.
  bool pass();
  /// After the loop, however it ended: nobody waits for its step any longer.
  void end();

  /// Closes the gate and returns when no step is in flight: the loop waits in pass(), has not begun, or has ended. On
  /// the loop's own thread (a callback) it returns at once.
  void pause();
  /// Opens it again.
  void resume();
  /// From now on pass() returns false, also where the loop waits in it. Does not wait.
  void stop();
  /// Of stop, for waits of the loop that are no step.
  std::stop_token stops() const { return stops_.get_token(); }
  /// True between pause and resume.
  bool paused() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool paused_ = false, stopped_ = false, in_flight_ = false;
  std::stop_source stops_;
  std::thread::id loop_;
  std::atomic<bool> open_ = false;  // in_flight_ and neither paused_ nor stopped_
};

}  // namespace tandem
