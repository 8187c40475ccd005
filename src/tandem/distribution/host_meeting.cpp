#include "tandem/distribution/host_meeting.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <chrono>

#include "tandem/core/error.h"

namespace tandem::distribute {

HostMeeting::HostMeeting(int64_t ranks, double limit_seconds)
    : limit_(limit_seconds),
      expected_(static_cast<std::size_t>(ranks), true),
      come_(static_cast<std::size_t>(ranks), false) {}

void HostMeeting::expect(std::vector<bool> ranks) {
  const std::lock_guard lock(mutex_);
  expected_ = std::move(ranks);
  come_.assign(expected_.size(), false);
  aborted_ = false;
}

std::string HostMeeting::missing() const {
  std::string names;
  for (std::size_t r = 0; r < expected_.size(); ++r) {
    if (expected_[r] && !come_[r]) names += c10::str(names.empty() ? "" : ", ", r);
  }
  return names;
}

void HostMeeting::meet(int64_t rank, const std::string& what, const std::function<void()>& work) {
  std::unique_lock lock(mutex_);
  if (aborted_) throw PeerError(c10::str("rank ", rank, ": stopped, ", reason_));
  const bool first = std::find(come_.begin(), come_.end(), true) == come_.end();
  if (first) what_ = what;
  if (what_ != what) {
    throw InvalidArgument(c10::str("rank ", rank, ": came for ", what, " where others came for ", what_,
                                   "; every replica must call the model in the same order"));
  }
  come_[static_cast<std::size_t>(rank)] = true;
  const auto meeting = meetings_;
  if (come_ == expected_) {
    // The others wait, so that the lock can be kept.
    failure_ = nullptr;
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
    }
    come_.assign(expected_.size(), false);
    ++meetings_;
    changed_.notify_all();
  } else {
    const auto ended = [&] { return meetings_ != meeting || aborted_; };
    if (!changed_.wait_for(lock, std::chrono::duration<double>(limit_), ended))
      throw PeerError(c10::str("rank ", rank, ": waited ", limit_, " s at ", what, " for rank ", missing()));
    if (meetings_ == meeting) throw PeerError(c10::str("rank ", rank, ": stopped, ", reason_));
  }
  if (failure_) std::rethrow_exception(failure_);
}

void HostMeeting::abort(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  aborted_ = true;
  reason_ = reason;
  changed_.notify_all();
}

}  // namespace tandem::distribute
