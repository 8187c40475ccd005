#include "tandem/servers/work_desk.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem::servers {
namespace {

constexpr std::size_t kKeptTopics = 1024;  // for those that come late

}  // namespace

void WorkDesk::come(const std::string& who, int64_t place) { places_.emplace(who, place); }

void WorkDesk::begin(int64_t pass, int64_t batches) {
  for (const auto& [who, id] : std::exchange(waiting_, {})) send_(who, {.id = id, .deal = Deal::over});
  pass_ = pass;
  batches_ = batches;
  next_ = done_ = 0;
  returned_.clear();
  out_.clear();
}

void WorkDesk::take(const std::string& who, const Question& question) {
  const auto& [id, pass, batches, done, waits, ends] = question;
  if (const auto last = dealt_.find(who); last != dealt_.end() && last->second.id == id)
    return send_(who, last->second);
  if (pass <= stopped_) return send_(who, {.id = id, .deal = Deal::stopped});
  if (pass > pass_) begin(pass, batches);
  if (pass < pass_) return send_(who, {.id = id, .deal = Deal::over});
  if (batches != batches_)
    throw DataError(c10::str("pass ", pass, ": all processes must have as many batches, got ", batches,
                             " where the first one has ", batches_));
  count(who, done);
  if (ends) return send_(who, {.id = id, .deal = Deal::over});
  if (deal_to({who, id})) return;
  if (waits) {
    std::erase_if(waiting_, [&](const Asker& asker) { return asker.first == who; });
    waiting_.emplace_back(who, id);
  } else {
    send_(who, {.id = id, .deal = Deal::later});
  }
}

void WorkDesk::stop(int64_t pass) {
  stopped_ = pass < 0 ? -1 : std::max(stopped_, pass);
  if (pass_ > stopped_) return;
  for (const auto& [who, id] : std::exchange(waiting_, {})) send_(who, {.id = id, .deal = Deal::stopped});
}

void WorkDesk::count(const std::string& who, const std::vector<int64_t>& done) {
  for (const auto batch : done) {
    const auto found = out_.find(batch);
    if (found == out_.end() || found->second != who) continue;  // dealt to another since
    out_.erase(found);
    ++done_;
  }
  if (done_ == batches_) deal_to_waiting();
}

// False: there is none, and not all are done.
bool WorkDesk::deal_to(const Asker& asker) {
  int64_t batch = 0;
  if (!returned_.empty()) {
    batch = returned_.front();
    returned_.pop_front();
  } else if (next_ < batches_) {
    batch = next_++;
  } else if (done_ == batches_) {
    send_(asker.first, {.id = asker.second, .deal = Deal::over});
    return true;
  } else {
    return false;
  }
  out_[batch] = asker.first;
  send_(asker.first, dealt_[asker.first] = {.id = asker.second, .deal = Deal::batch, .batch = batch});
  return true;
}

void WorkDesk::deal_to_waiting() {
  while (!waiting_.empty() && deal_to(waiting_.front())) waiting_.pop_front();
}

void WorkDesk::gather(const std::string& who, uint64_t id, const std::string& name, std::string text) {
  auto& topic = topics_[name];
  if (topic.closed) return send_(who, {.id = id, .said = topic.said});
  topic.by_who[who] = std::move(text);
  topic.waiting.emplace_back(who, id);
  close_full_topics();
}

void WorkDesk::close_full_topics() {
  for (auto& [name, topic] : topics_) {
    if (topic.closed || topic.by_who.empty()) continue;
    const auto speaks = [&](const auto& place) { return topic.by_who.contains(place.first); };
    if (!std::all_of(places_.begin(), places_.end(), speaks)) continue;
    std::vector<std::pair<int64_t, std::string>> in_order;
    for (auto& [who, text] : topic.by_who) {
      if (is_here(who)) in_order.emplace_back(places_.at(who), std::move(text));
    }
    std::sort(in_order.begin(), in_order.end());
    for (auto& [place, text] : in_order) topic.said.push_back(std::move(text));
    topic.closed = true;
    topic.by_who.clear();
    for (const auto& [who, id] : std::exchange(topic.waiting, {})) send_(who, {.id = id, .said = topic.said});
    closed_.push_back(name);
  }
  for (; closed_.size() > kKeptTopics; closed_.pop_front()) topics_.erase(closed_.front());
}

void WorkDesk::say(const std::string& topic, std::string text) {
  const auto& said = announced_[topic] = std::move(text);
  const auto found = listening_.find(topic);
  if (found == listening_.end()) return;
  for (const auto& [who, id] : found->second) send_(who, {.id = id, .said = {said}});
  listening_.erase(found);
}

void WorkDesk::hear(const std::string& who, uint64_t id, const std::string& topic) {
  if (const auto found = announced_.find(topic); found != announced_.end())
    return send_(who, {.id = id, .said = {found->second}});
  listening_[topic].emplace_back(who, id);
}

const std::string* WorkDesk::said(const std::string& topic) const {
  const auto found = announced_.find(topic);
  return found == announced_.end() ? nullptr : &found->second;
}

void WorkDesk::gone(const std::string& who) {
  if (places_.erase(who) == 0) return;
  dealt_.erase(who);
  const auto asked = [&](const Asker& asker) { return asker.first == who; };
  std::erase_if(waiting_, asked);
  for (auto& [name, listening] : listening_) std::erase_if(listening, asked);
  for (auto& [name, topic] : topics_) {
    std::erase_if(topic.waiting, asked);
    topic.by_who.erase(who);
  }
  for (auto place = out_.begin(); place != out_.end();) {
    if (place->second == who) {
      returned_.push_back(place->first);
      place = out_.erase(place);
    } else {
      ++place;
    }
  }
  deal_to_waiting();
  close_full_topics();
}

}  // namespace tandem::servers
