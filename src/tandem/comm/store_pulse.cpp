#include "tandem/comm/store_pulse.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <chrono>

#include "tandem/core/activity.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {
namespace {

constexpr std::chrono::milliseconds kCount(1000);
// A look that comes much later than it should: this process itself could not run.
constexpr double kOwnSleep = 3;

// What the first one that gives a rank up says: the others need not count any more.
constexpr const char* kSilent = "pulse/silent";

std::string key_of_pulse(int64_t place) { return c10::str("pulse/", place); }

// "17 data, step 3" without the count.
std::string report_of(const std::string& text) { return text.substr(std::min(text.size(), text.find(' ') + 1)); }

}  // namespace

StorePulse::StorePulse(const c10d::Store& store, int64_t own, std::vector<int64_t> numbers, double silence_seconds)
    : store_(const_cast<c10d::Store&>(store).clone()),
      own_(own),
      numbers_(std::move(numbers)),
      silence_seconds_(silence_seconds),
      seen_(numbers_.size()),
      thread_([this] { beat(); }) {}

StorePulse::~StorePulse() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_one();
  thread_.join();
}

std::string StorePulse::silent() {
  const std::lock_guard lock(mutex_);
  return silent_;
}

void StorePulse::beat() {
  store_->setTimeout(kCount);
  double last = steady_seconds();
  std::unique_lock lock(mutex_);
  while (!stopping_ && silent_.empty()) {
    lock.unlock();
    const double now = steady_seconds(), since = now - std::exchange(last, now);
    look(since > kOwnSleep ? 0 : since);
    lock.lock();
    stopped_.wait_for(lock, kCount, [this] { return stopping_; });
  }
}

void StorePulse::look(double since_last) {
  std::string found;
  try {
    store_->set(key_of_pulse(own_), c10::str(++count_, " ", describe(reported_activity(), reported_step())));
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const auto key = key_of_pulse(static_cast<int64_t>(i));
      if (static_cast<int64_t>(i) == own_ || !store_->check({key})) continue;  // it has not begun
      auto& seen = seen_[i];
      auto text = store_->get_to_str(key);
      seen.silence = text == seen.text ? seen.silence + since_last : 0;
      seen.text = std::move(text);
      if (seen.silence >= silence_seconds_ && found.empty()) {
        found = c10::str("rank ", numbers_[i], " has been silent for ", silence_seconds_,
                         " s; it last reported: ", report_of(seen.text));
      }
    }
    if (!found.empty()) store_->compareSet(kSilent, std::string(), found);
    if (store_->check({kSilent})) found = store_->get_to_str(kSilent);
    store_silence_ = 0;
  } catch (const std::exception&) {
    store_silence_ += since_last;
    if (store_silence_ >= silence_seconds_)
      found = c10::str("rank 0 has been silent for ", silence_seconds_, " s, in whose process ranks meet");
  }
  if (found.empty()) return;
  const std::lock_guard lock(mutex_);
  silent_ = found;
}

}  // namespace tandem::comm
