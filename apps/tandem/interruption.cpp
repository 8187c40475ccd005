#include "interruption.h"

#include <pthread.h>
#include <unistd.h>

#include <utility>

namespace tandem::cli {
namespace {

bool is_ignored(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

Interruption::Interruption() {
  sigemptyset(&awaited_);
  sigaddset(&awaited_, SIGUSR2);  // how the destructor ends the thread
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(signal)) sigaddset(&awaited_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &awaited_, &blocked_before_);
  thread_ = std::thread([this] { wait(); });
}

Interruption::~Interruption() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &blocked_before_, nullptr);
}

void Interruption::on_signal(std::function<void()> order) {
  const std::lock_guard lock(mutex_);
  order_ = std::move(order);
}

int Interruption::signal() const {
  const std::lock_guard lock(mutex_);
  return signal_;
}

void Interruption::wait() {
  for (;;) {
    int signal = 0;
    sigwait(&awaited_, &signal);
    const std::lock_guard lock(mutex_);
    if (ending_) return;
    if (signal == SIGUSR2) continue;
    if (!order_ || signal_ != 0) _exit(128 + signal);
    signal_ = signal;
    order_();
  }
}

}  // namespace tandem::cli
