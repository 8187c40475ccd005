#include "tandem/servers/desk_talk.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cstring>

#include "tandem/core/error.h"

namespace tandem::servers {
namespace {

std::vector<int64_t> numbers_of(const Frame& frame) {
  if (frame.size() % sizeof(int64_t) != 0) throw DataError("batches that are done must be whole numbers");
  std::vector<int64_t> numbers(frame.size() / sizeof(int64_t));
  if (!numbers.empty()) std::memcpy(numbers.data(), frame.data(), frame.size());
  return numbers;
}

}  // namespace

DeskTalk::DeskTalk(Send send)
    : send_(std::move(send)), desk_([this](const std::string& who, const WorkDesk::Answer& answer) {
        std::vector<Frame> said;
        for (const auto& text : answer.said) said.push_back(Frame::of(text));
        send_(who,
              {.kind = Kind::desk,
               .id = answer.id,
               .block = answer.batch,
               .staleness = static_cast<int64_t>(answer.deal)},
              std::move(said));
      }) {}

void DeskTalk::hear(const std::string& who, const Header& header, const std::vector<Frame>& frames, double now) {
  const auto text = [&](std::size_t i) {
    if (i >= frames.size()) throw DataError("message to a work desk: a payload is missing");
    return std::string(frames[i].text());
  };
  desk_.come(who, header.worker);
  heard_[who] = now;
  switch (static_cast<DeskAsk>(header.block)) {
    case DeskAsk::take:
      if (frames.size() < 2) throw DataError("message to a work desk: a payload is missing");
      return desk_.take(who, {.id = header.id,
                              .pass = header.version,
                              .batches = header.rows,
                              .done = numbers_of(frames[1]),
                              .waits = header.staleness == 1,
                              .ends = header.staleness == 2});
    case DeskAsk::gather:
      return desk_.gather(who, header.id, text(1), text(2));
    case DeskAsk::say:
      desk_.say(text(1), text(2));
      return send_(who, {.kind = Kind::desk, .id = header.id}, {});
    case DeskAsk::hear:
      return desk_.hear(who, header.id, text(1));
    case DeskAsk::stop:
      desk_.stop(header.version - 1);
      return send_(who, {.kind = Kind::desk, .id = header.id}, {});
    case DeskAsk::leave:
      heard_.erase(who);
      desk_.gone(who);
      return send_(who, {.kind = Kind::desk, .id = header.id}, {});
  }
  throw DataError(c10::str("message to a work desk: nobody asks ", header.block));
}

void DeskTalk::heard(const std::string& who, double now) {
  if (const auto found = heard_.find(who); found != heard_.end()) found->second = now;
}

void DeskTalk::closed(const std::string& who) {
  heard_.erase(who);
  desk_.gone(who);
}

bool DeskTalk::nobody_but(const std::vector<std::string>& these) const {
  return std::all_of(heard_.begin(), heard_.end(),
                     [&](const auto& one) { return std::find(these.begin(), these.end(), one.first) != these.end(); });
}

void DeskTalk::begin_anew(const std::string& why) {
  for (const auto& [who, last] : heard_) send_(who, {.kind = Kind::error}, {Frame::of(why)});
  heard_.clear();
  desk_.begin_anew();
}

void DeskTalk::look(double now, double slept, double silence_seconds) {
  std::vector<std::string> silent;
  for (auto& [who, last] : heard_) {
    last += slept;
    if (now - last > silence_seconds) silent.push_back(who);
  }
  for (const auto& who : silent) closed(who);
}

}  // namespace tandem::servers
