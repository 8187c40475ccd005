#include "tandem/distribution/placed_round.h"

#include <c10/util/StringUtil.h>

#include <chrono>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/core/pause_core.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::distribute {
namespace {

constexpr int kLooks = 4000;  // some 20 microseconds before a thread sleeps: what it waits for is mostly close

template <class Done>
bool await_closely(const Done& done) {
  for (int i = 0; i < kLooks; ++i) {
    if (done()) return true;
    pause_core();
  }
  return done();
}

}  // namespace

PlacedRound::PlacedRound(std::vector<std::vector<std::size_t>> needs, std::size_t workers, double limit_seconds)
    : needs_(std::move(needs)), limit_(limit_seconds), ended_(needs_.size()), working_(workers) {}

double PlacedRound::work(const std::vector<std::size_t>& pieces, const std::function<void(std::size_t)>& piece,
                         const std::function<std::string(std::size_t)>& name) {
  double waited = 0;
  for (auto i : pieces) {
    try {
      const double start = steady_seconds();
      if (!await(i, name)) break;
      waited += steady_seconds() - start;
      piece(i);
    } catch (...) {
      fail(std::current_exception());
      break;
    }
    ended_[i].store(true, std::memory_order_release);
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  // Under the lock: finish may return and the round may go as soon as it is seen.
  const std::lock_guard lock(mutex_);
  working_.fetch_sub(1, std::memory_order_acq_rel);
  changed_.notify_all();
  return waited;
}

bool PlacedRound::await(std::size_t i, const std::function<std::string(std::size_t)>& name) {
  for (auto need : needs_[i]) {
    const auto done = [&] {
      return ended_[need].load(std::memory_order_acquire) || failed_.load(std::memory_order_acquire);
    };
    if (!await_closely(done)) {
      std::unique_lock lock(mutex_);
      if (!changed_.wait_for(lock, std::chrono::duration<double>(limit_), done)) {
        const auto late = c10::str(name(i), " has waited ", limit_, " s for ", name(need));
        log_warning(late);  // the call ends when that layer does, if ever
        throw PeerError(late);
      }
    }
    if (failed_.load(std::memory_order_acquire)) return false;
  }
  return !failed_.load(std::memory_order_acquire);
}

void PlacedRound::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
  failed_.store(true, std::memory_order_release);
  changed_.notify_all();
}

double PlacedRound::finish() {
  const double start = steady_seconds();
  const auto done = [&] { return working_.load(std::memory_order_acquire) == 0; };
  await_closely(done);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, done);
  if (failure_) std::rethrow_exception(failure_);
  return steady_seconds() - start;
}

}  // namespace tandem::distribute
