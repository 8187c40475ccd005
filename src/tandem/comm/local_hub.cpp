#include "tandem/comm/local_hub.h"

#include <c10/util/StringUtil.h>

#include <thread>

#include "tandem/comm/local_seat.h"
#include "tandem/core/device.h"
#include "tandem/core/error.h"

namespace tandem::comm {

LocalHub::LocalHub(int64_t ranks, double limit_seconds, const std::vector<std::shared_ptr<Turns>>& turns)
    : limit_seconds_(limit_seconds), may_spin_(ranks <= available_cores()) {
  if (ranks < 1) throw InvalidArgument(c10::str("LocalGroup: world_size must be at least 1, got ", ranks));
  if (!(limit_seconds > 0))
    throw InvalidArgument(c10::str("LocalGroup: limit_seconds must be positive, got ", limit_seconds));
  if (!turns.empty() && static_cast<int64_t>(turns.size()) != ranks)
    throw InvalidArgument(c10::str("LocalGroup: must get one Turns for each of ", ranks, " ranks, got ", turns.size()));
  for (int64_t r = 0; r < ranks; ++r) {
    auto its_turns = turns.empty() ? nullptr : turns[static_cast<std::size_t>(r)];
    seats_.push_back(std::make_unique<LocalSeat>(*this, r, std::move(its_turns)));
  }
}

LocalHub::~LocalHub() = default;

void LocalHub::fail(const std::string& reason) {
  {
    std::lock_guard lock(mutex_);
    if (!failed_.load()) reason_ = reason;
    failed_.store(true);
  }
  for (auto& seat : seats_) seat->bell().ring();
}

void LocalHub::throw_failed(int64_t rank) {
  // A copy or addition that has begun is short; none begins any more.
  for (auto& seat : seats_) {
    while (seat->rank() != rank && seat->working()) std::this_thread::yield();
  }
  std::lock_guard lock(mutex_);
  throw PeerError(c10::str("rank ", rank, " of ", ranks(), ": stopped, ", reason_));
}

void LocalHub::reset() {
  for (auto& seat : seats_) seat->forget();
  std::lock_guard lock(mutex_);
  failed_.store(false);
  reason_.clear();
}

}  // namespace tandem::comm
