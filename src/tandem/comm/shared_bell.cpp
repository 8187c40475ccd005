#include "tandem/comm/shared_bell.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>

namespace tandem::comm {
namespace {

static_assert(std::atomic<uint32_t>::is_always_lock_free && sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

// The kernel's wait on a word that processes share.
void futex(std::atomic<uint32_t>& word, int operation, uint32_t value, const timespec* limit) {
  ::syscall(SYS_futex, &word, operation, value, limit, nullptr, 0);
}

}  // namespace

void SharedBell::ring() {
  // Either this sees the sleeper, or the sleeper, who says that it sleeps before the kernel looks, sees this ring.
  rings_.fetch_add(1);
  if (asleep_.load() > 0) futex(rings_, FUTEX_WAKE, 1, nullptr);
}

bool SharedBell::sleep(uint32_t heard, Doorbell::Clock::time_point deadline) {
  using std::chrono::nanoseconds;
  const auto left = std::chrono::duration_cast<nanoseconds>(deadline - Doorbell::Clock::now());
  if (left <= nanoseconds::zero()) return rings_.load() != heard;
  constexpr int64_t kSecond = 1'000'000'000;
  const timespec limit{left.count() / kSecond, left.count() % kSecond};
  asleep_.store(1);
  futex(rings_, FUTEX_WAIT, heard, &limit);
  asleep_.store(0);
  return rings_.load() != heard || Doorbell::Clock::now() < deadline;
}

}  // namespace tandem::comm
