#include "tandem/comm/doorbell.h"

namespace tandem::comm {

void Doorbell::ring() {
  // Either this sees the sleeper, or the sleeper, who says that it sleeps before it looks, sees this ring.
  rings_.fetch_add(1);
  if (!asleep_.load()) return;
  { std::lock_guard lock(mutex_); }
  rung_.notify_one();
}

bool Doorbell::sleep(uint64_t heard, Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  asleep_.store(true);
  const bool rung = rung_.wait_until(lock, deadline, [&] { return rings_.load() != heard; });
  asleep_.store(false);
  return rung;
}

}  // namespace tandem::comm
