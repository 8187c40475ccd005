#include "tandem/comm/local_barrier.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::comm {
namespace {

constexpr int kSpins = 2000;  // some 10 microseconds

void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

LocalBarrier::LocalBarrier(int64_t world_size, std::chrono::duration<double> limit)
    : world_size_(world_size), limit_(limit), visits_(static_cast<std::size_t>(world_size)) {}

void LocalBarrier::wait(int64_t rank) {
  if (broken_.load(std::memory_order_acquire)) throw_broken(rank);
  const uint64_t mine = generation_.load(std::memory_order_acquire);
  visits_[static_cast<std::size_t>(rank)].fetch_add(1, std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == world_size_) {
    arrived_.store(0, std::memory_order_relaxed);
    {
      std::lock_guard lock(mutex_);
      generation_.fetch_add(1, std::memory_order_acq_rel);
    }
    changed_.notify_all();
    return;
  }
  const auto passed = [&] { return generation_.load(std::memory_order_acquire) != mine; };
  for (int i = 0; i < kSpins; ++i) {
    if (passed()) return;
    pause_core();
  }
  std::unique_lock lock(mutex_);
  const bool in_time =
      changed_.wait_for(lock, limit_, [&] { return passed() || broken_.load(std::memory_order_acquire); });
  if (passed()) return;
  if (!in_time) {
    std::string missing;
    const auto visits = visits_[static_cast<std::size_t>(rank)].load();
    for (std::size_t r = 0; r < visits_.size(); ++r) {
      if (visits_[r].load() < visits) missing += c10::str(missing.empty() ? "" : ", ", r);
    }
    reason_ = c10::str("rank ", rank, ": waited ", limit_.count(), " s in a collective for rank ", missing);
    broken_.store(true, std::memory_order_release);
    changed_.notify_all();
  }
  lock.unlock();
  throw_broken(rank);
}

void LocalBarrier::break_all(const std::string& reason) {
  {
    std::lock_guard lock(mutex_);
    if (!broken_.load()) reason_ = reason;
    broken_.store(true, std::memory_order_release);
  }
  changed_.notify_all();
}

void LocalBarrier::reset() {
  std::lock_guard lock(mutex_);
  arrived_.store(0);
  for (auto& visits : visits_) visits.store(0);
  broken_.store(false);
  reason_.clear();
}

void LocalBarrier::throw_broken(int64_t rank) {
  std::lock_guard lock(mutex_);
  throw PeerError(c10::str("rank ", rank, " of ", world_size_, ": stopped, ", reason_));
}

}  // namespace tandem::comm
