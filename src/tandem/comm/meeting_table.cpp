#include "tandem/comm/meeting_table.h"

#include <algorithm>
#include <charconv>

namespace tandem::comm {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

// As c10d's own stores keep counters: as text.
int64_t counter_of(const std::string& value) {
  int64_t number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

}  // namespace

void MeetingTable::ask(const std::string& who, MeetingRequest request, double now) {
  std::size_t brought = request.value.size() + request.before.size();
  for (const auto& key : request.keys) brought += key.size();
  if (brought > kMostBytes - std::min(bytes_, kMostBytes)) return;
  const auto answer = [&](int64_t amount, std::string value = {}) {
    send_(who, {request.number, amount, std::move(value)});
  };
  const auto& key = request.keys.empty() ? std::string() : request.keys.front();
  switch (request.ask) {
    case Ask::set:
      put(key, request.value);
      answer(1);
      break;
    case Ask::add: {
      const auto found = values_.find(key);
      const int64_t sum = request.amount + (found == values_.end() ? 0 : counter_of(found->second));
      put(key, std::to_string(sum));
      answer(sum);
      break;
    }
    case Ask::check:
      answer(all_there(request) ? 1 : 0);
      break;
    case Ask::remove: {
      const auto found = values_.find(key);
      if (found != values_.end()) {
        bytes_ -= found->first.size() + found->second.size();
        values_.erase(found);
        answer(1);
      } else {
        answer(0);
      }
      break;
    }
    case Ask::compare_set: {
      const auto found = values_.find(key);
      const bool as_expected = found == values_.end() ? request.before.empty() : found->second == request.before;
      if (as_expected) put(key, request.value);
      const auto there = values_.find(key);
      answer(1, there == values_.end() ? request.before : there->second);
      break;
    }
    case Ask::count:
      answer(static_cast<int64_t>(values_.size()));
      break;
    case Ask::get:
    case Ask::wait:
      waiting_.push_back({who, std::move(request), now + static_cast<double>(request.limit_ms) / 1000});
      break;
  }
  look_again();
  expire(now);
}

void MeetingTable::expire(double now) {
  waiting_.remove_if([&](const Waiting& one) {
    if (now < one.until) return false;
    send_(one.who, {one.request.number, 0, {}});
    return true;
  });
}

std::optional<double> MeetingTable::next_limit() const {
  std::optional<double> next;
  for (const auto& one : waiting_) next = next ? std::min(*next, one.until) : one.until;
  return next;
}

bool MeetingTable::all_there(const MeetingRequest& request) const {
  return std::all_of(request.keys.begin(), request.keys.end(), [&](const auto& key) { return values_.contains(key); });
}

void MeetingTable::put(const std::string& key, std::string value) {
  const auto [place, is_new] = values_.try_emplace(key);
  bytes_ += value.size() + (is_new ? key.size() : 0);
  bytes_ -= place->second.size();
  place->second = std::move(value);
}

void MeetingTable::look_again() {
  waiting_.remove_if([&](const Waiting& one) {
    if (!all_there(one.request)) return false;
    const bool wants_value = one.request.ask == Ask::get;
    send_(one.who, {one.request.number, 1, wants_value ? values_.at(one.request.keys.front()) : std::string()});
    return true;
  });
}

}  // namespace tandem::comm
