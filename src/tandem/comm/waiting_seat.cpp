#include "tandem/comm/waiting_seat.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tandem/core/pause_core.h"

namespace tandem::comm {
namespace {

using Clock = Doorbell::Clock;

// Ranks of one step arrive close together, and to sleep and wake takes about as long.
constexpr auto kSpinTime = std::chrono::microseconds(50);
// After that long the one that is waited for is perhaps kept from running by this very thread.
constexpr auto kSpinAlone = std::chrono::microseconds(5);
constexpr auto kBetweenPolls = std::chrono::milliseconds(1);
constexpr double kLongestLimit = 1e9;  // seconds; more than a clock holds would overflow

}  // namespace

void WaitingSeat::remove(Duty& duty) {
  duties_.erase(std::remove(duties_.begin(), duties_.end(), &duty), duties_.end());
}

void WaitingSeat::forget() {
  for (auto* duty : duties_) duty->forget();
}

void WaitingSeat::progress() {
  for (auto* duty : duties_) duty->progress();
}

bool WaitingSeat::spin(c10::function_ref<bool()> done) {
  constexpr int kLooks = 16;  // between two readings of the clock
  const auto start = Clock::now();
  while (!failed() && !(turns_ && turns_->wanted())) {
    for (int i = 0; i < kLooks; ++i) {
      if (done()) return true;
      pause_core();
    }
    progress();
    const auto spun = Clock::now() - start;
    if (spun > kSpinTime) break;
    if (spun > kSpinAlone) std::this_thread::yield();
  }
  return false;
}

bool WaitingSeat::polls() const {
  return std::any_of(duties_.begin(), duties_.end(), [](const Duty* duty) { return duty->polls(); });
}

bool WaitingSeat::sleep(uint64_t heard, Clock::time_point& deadline) {
  const auto until = polls() ? std::min(deadline, Clock::now() + kBetweenPolls) : deadline;
  if (!turns_) return sleep_until_rung(heard, until) || until < deadline;
  turns_->release();
  const bool rung = sleep_until_rung(heard, until) || until < deadline;
  const auto woken = Clock::now();
  turns_->acquire();
  const auto without = Clock::now() - woken;
  without_turn_ += std::chrono::duration<double>(without).count();
  deadline += without;
  return rung;
}

void WaitingSeat::wait(c10::function_ref<bool()> done, c10::function_ref<std::string()> late) {
  if (done() || (may_spin() && spin(done))) return;
  const std::chrono::duration<double> limit(std::min(limit_seconds(), kLongestLimit));
  auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  bool in_time = true;
  while (true) {
    const auto heard = rings();
    progress();
    if (done()) return;
    if (failed()) throw_failed(late);
    if (!in_time) {
      fail(c10::str("rank ", rank_, ": waited ", limit_seconds(), " s in ", late()));
      throw_failed(late);
    }
    in_time = sleep(heard, deadline);
  }
}

}  // namespace tandem::comm
