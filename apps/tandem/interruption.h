#pragma once
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

namespace tandem::cli {

/// SIGINT and SIGTERM while one lives: a thread waits for them, so that no code runs inside a signal handler. Make it
/// before other threads, which must inherit that the signals are blocked. A signal that the parent lets this process
/// ignore (nohup, a script's background job) stays ignored.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Until this is called a signal ends the process at once, with status 128 + its number. From then on the first one
  /// runs `order`, on the waiting thread, and the next one ends the process.
  void on_signal(std::function<void()> order);
  /// Number of the signal that ran the order; 0: none did.
  int signal() const;

 private:
  void wait();

  sigset_t awaited_, blocked_before_;
  mutable std::mutex mutex_;
  std::function<void()> order_;
  int signal_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace tandem::cli
