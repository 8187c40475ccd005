#include "tandem/servers/watch_talk.h"

namespace tandem::servers {

void WatchTalk::hear(const std::string& who, const Header& question, double now) {
  watchers_[who] = {now, question};  // one that asks again has lost the answer
}

void WatchTalk::heard(const std::string& who, double now) {
  if (const auto found = watchers_.find(who); found != watchers_.end()) found->second.heard = now;
}

void WatchTalk::look(double now, double slept, double silence_seconds) {
  for (auto& [who, watcher] : watchers_) watcher.heard += slept;
  std::erase_if(watchers_, [&](const auto& one) { return now - one.second.heard > silence_seconds; });
}

void WatchTalk::show(const Shown& shown) {
  std::vector<Frame> payload;
  for (auto& [who, watcher] : watchers_) {
    Header answer{.kind = Kind::watch,
                  .block = shown.server,
                  .version = shown.updates.value_or(0),
                  .staleness = shown.done ? 1 : 0};
    const auto& question = watcher.question;
    if (question) answer.id = question->id;
    if (question && question->rows == 1) {
      send_(who, answer, {});
      watcher.question.reset();
      continue;
    }
    const bool last = shown.done && !watcher.told;
    if (!shown.updates || !(last || (question && *shown.updates >= question->version))) continue;
    if (payload.empty()) payload = shown.payload();
    send_(who, answer, payload);
    watcher.told = shown.done;
    watcher.question.reset();
  }
}

void WatchTalk::fail(const std::string& why) {
  for (const auto& [who, watcher] : watchers_) send_(who, {.kind = Kind::error}, {Frame::of(why)});
  watchers_.clear();
}

}  // namespace tandem::servers
