#include "tandem/comm/shared_pulse.h"

#include <c10/util/StringUtil.h>

#include <chrono>
#include <cmath>

#include "tandem/core/activity.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {
namespace {

constexpr std::chrono::milliseconds kBeat(200);
constexpr double kLook = 0.1;  // seconds from one look to the next

}  // namespace

struct alignas(64) SharedPulse::Entry {
  std::atomic<uint64_t> count;
  std::atomic<uint32_t> activity;
  std::atomic<uint32_t> left;
  std::atomic<int64_t> step;
};

std::size_t SharedPulse::bytes(int64_t processes) { return static_cast<std::size_t>(processes) * sizeof(Entry); }

SharedPulse::Entry& SharedPulse::entry(int64_t process) const {
  return reinterpret_cast<Entry*>(memory_.data())[process];
}

SharedPulse::SharedPulse(SharedMemory memory, int64_t process, int64_t processes, double silence_seconds)
    : memory_(std::move(memory)),
      own_(process),
      processes_(processes),
      silence_seconds_(silence_seconds),
      seen_(static_cast<std::size_t>(processes)) {
  memory_.take_place(own_);
  thread_ = std::thread([this] { beat(); });
}

SharedPulse::~SharedPulse() {
  entry(own_).left.store(1);
  {
    const std::lock_guard lock(stop_);
    stopping_ = true;
  }
  stopped_.notify_one();
  thread_.join();
}

void SharedPulse::beat() {
  auto& own = entry(own_);
  std::unique_lock lock(stop_);
  do {
    own.activity.store(static_cast<uint32_t>(reported_activity()), std::memory_order_relaxed);
    own.step.store(reported_step(), std::memory_order_relaxed);
    own.count.fetch_add(1);
  } while (!stopped_.wait_for(lock, kBeat, [this] { return stopping_; }));
}

std::optional<SharedPulse::Lost> SharedPulse::find_lost() {
  const std::lock_guard lock(look_);
  const double now = steady_seconds();
  if (lost_ || now - last_look_ < kLook) return lost_;
  last_look_ = now;
  for (int64_t p = 0; p < processes_; ++p) {
    if (p == own_) continue;
    const auto& other = entry(p);
    if (!memory_.is_taken(p)) {
      // Who says that it leaves may have left because of another that did not.
      const bool left = other.left.load();
      if (left && lost_) continue;
      lost_ = {p, c10::str(left ? "has left" : "is lost", "; it last reported: ", last_report(p))};
      if (!left) return lost_;
      continue;
    }
    auto& seen = seen_[static_cast<std::size_t>(p)];
    const auto count = other.count.load();
    seen.looks = count == seen.count ? seen.looks + 1 : 0;
    seen.count = count;
    if (!lost_ && static_cast<double>(seen.looks) * kLook >= silence_seconds_)
      lost_ = {p, c10::str("has been silent for ", silence_seconds_, " s; it last reported: ", last_report(p))};
  }
  return lost_;
}

std::string SharedPulse::last_report(int64_t process) const {
  const auto& other = entry(process);
  return describe(static_cast<Activity>(other.activity.load(std::memory_order_relaxed)),
                  other.step.load(std::memory_order_relaxed));
}

}  // namespace tandem::comm
