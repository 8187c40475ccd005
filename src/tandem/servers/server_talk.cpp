#include "tandem/servers/server_talk.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/servers/server_message.h"
#include "tandem/servers/state_frames.h"
#include "tandem/servers/watched_statistics.h"

namespace tandem::servers {
namespace {

constexpr auto kConnectionClosed = "has gone: its connection closed";
constexpr int64_t kAllPasses = std::numeric_limits<int64_t>::max();
constexpr double kOwnSleep = 1;  // seconds between two looks after which it is we who slept

}  // namespace

void ServerTalk::hear(const std::string& who, const std::vector<Frame>& frames, double now) {
  const auto header = frames.empty() ? std::nullopt : decode_header(frames[0].text());
  if (!header) return;
  const auto member = members_.find(who);
  if (member != members_.end()) member->second.heard = now;
  desk_.heard(who, now);
  watchers_.heard(who, now);
  answer_errors(who, *header, frames, now);
  settle(now);
  save_if_due();
  show_watchers();
}

void ServerTalk::handle(const std::string& who, const Header& header, const std::vector<Frame>& frames, double now) {
  if (over_ && header.kind != Kind::leave) return say(who, Kind::error, failure_);
  if (header.kind == Kind::desk) {
    if (!desk_.is_here(who) && !may_come_to_desk(header.worker)) return wait_for_desk(who, header, frames, now);
    return desk_.hear(who, header, frames, now);
  }
  if (header.kind == Kind::watch) return watchers_.hear(who, header, now);
  if (header.kind == Kind::leave && watchers_.gone(who)) return;
  const bool holds = this->holds();
  if (header.kind == Kind::ping) {
    const auto waits_for = holds                         ? group_->waiting_for()
                           : table_                      ? table_->waiting_for()
                           : group_ && group_->has_met() ? group_->waiting_for()
                                                         : "worker 0, who begins";
    return send_(who, {.kind = Kind::ping, .staleness = stops_ ? 1 : 0}, {Frame::of(waits_for)});
  }
  // A gradient's blocks, once more after a new connection, and some questions.
  if (holds) return held_.push({who, header, frames}, 2 * plan_.blocks() + 16);
  came_ = came_ || header.kind == Kind::hello;
  if (header.kind == Kind::hello) return hello(who, header, frames, now);
  if (header.kind == Kind::resume) return resume(who, header, now);
  auto member = members_.find(who);
  if (member == members_.end() && comes_back(who, header, now)) member = members_.find(who);
  if (member == members_.end()) {
    if (header.kind == Kind::leave) return say(who, Kind::leave, "");
    throw DataError(c10::str("is not known here: it was given up after ", silence_seconds_,
                             " s of silence, or the server has begun anew"));
  }
  const int64_t worker = member->second.worker;
  if (header.worker != worker) throw DataError(c10::str("must be ", worker, " as it said first"));
  switch (header.kind) {
    case Kind::push: {
      Push push{worker,      header.id,       header.block, header.version,
                header.rows, header.all_rows, header.rate,  header.scale};
      if (const auto table = plan_.table_of(header.block)) {
        if (frames.size() != 3) throw DataError("a push of a table's rows must have two payloads");
        push.table_rows = decode_rows(frames[1].text(), header, plan_, server_);
        const int64_t count = push.table_rows.numel(), row = plan_.weights[*table].row();
        check_bytes(header, frames[2].size(), count * row);
        push.gradient = frames[2].floats().view({count, row});
      } else {
        if (frames.size() != 2) throw DataError("a push must have one payload");
        check_block(header, frames[1].size(), plan_, server_);
        push.gradient = frames[1].floats();
      }
      return table_->push(push);
    }
    case Kind::rows: {
      if (frames.size() > 2) throw DataError("a question for rows must have one payload at most");
      const Tensor rows = frames.size() == 2 ? decode_rows(frames[1].text(), header, plan_, server_) : Tensor();
      return table_->read_rows(worker, header.id, header.block, rows);
    }
    case Kind::pull:
      return table_->pull(worker, header.id, header.version);
    case Kind::rest:
      return table_->rest(worker, header.version);
    case Kind::leave:
      return leave(who, worker, header.id == 1);
    case Kind::state:
      return send_state(who);
    case Kind::set_state:
      return set_state(who, header, frames);
    case Kind::set_parameters:
      return set_parameters(who, frames);
    case Kind::figures:
      return say(who, Kind::figures, figures().encode());
    case Kind::average:
      return ask_average(who, header.id, header.version);
    default:
      throw DataError("this kind of message is for workers");
  }
}

// Which run somebody belongs to who comes is not said. Where nobody is there it is another one, but for one that comes
// late, after worker 0 has said that all is done. Where the connections of all that are there are closed it shows soon
// whether they come back: till then nobody else can be answered, and what they have must not be dealt out again.
bool ServerTalk::may_come_to_desk(int64_t worker) {
  if (!run_ended_ && !desk_.nobody() && desk_.nobody_but(away_)) return false;
  const bool another = run_ended_ ? worker == 0 : desk_.nobody();
  if (!another) return true;
  desk_.begin_anew("worker 0 has begun another training");
  run_ended_ = false;
  if (stops_) desk_.stop(kAllPasses);
  return true;
}

void ServerTalk::wait_for_desk(const std::string& who, const Header& header, const std::vector<Frame>& frames,
                               double now) {
  std::erase_if(before_desk_, [&](const Early& early) { return early.who == who; });
  before_desk_.push_back({who, header, frames, now});
}

void ServerTalk::leave(const std::string& who, int64_t worker, bool failed) {
  const bool comes_back = failed && saves_;
  members_.erase(who);
  asks_.forget(who);
  who_of_[static_cast<std::size_t>(worker)].clear();
  left_[static_cast<std::size_t>(worker)] = comes_back ? Left::no : failed ? Left::failed : Left::done;
  run_ended_ = run_ended_ || (worker == 0 && !failed);
  look_at_early_ = true;
  say(who, Kind::leave, "");
  // All servers must go on from one update.
  if (comes_back && plan_.mode == ServerMode::sync) return table_->lost(worker, "could not go on");
  table_->leave(worker);
}

void ServerTalk::lose(const std::string& who, int64_t worker, const std::string& why) {
  members_.erase(who);
  asks_.forget(who);
  who_of_[static_cast<std::size_t>(worker)].clear();
  look_at_early_ = true;
  try {
    table_->lost(worker, why);
  } catch (const PeerError& error) {
    fail(error.what());
  }
}

void ServerTalk::closed(const std::string& who) {
  desk_.closed(who);
  watchers_.gone(who);
  const auto is_it = [&](const Early& early) { return early.who == who; };
  std::erase_if(early_, is_it);
  std::erase_if(before_desk_, is_it);
  if (offered_ && is_it(*offered_)) offered_.reset();
  const auto member = members_.find(who);
  if (member != members_.end()) {
    member->second.away = true;
    if (!holds()) lose(who, member->second.worker, kConnectionClosed);
  }
  save_if_due();
}

void ServerTalk::send_state(const std::string& who) {
  auto state = table_->state();
  for (auto& slot : state.slots) slot = slot.clone();  // they go on changing
  send_(who, {.kind = Kind::state, .id = static_cast<uint64_t>(state.iterations)},
        frames_of(state, plan_, server_, plan_.server_begin(server_)));
}

void ServerTalk::set_state(const std::string& who, const Header& header, const std::vector<Frame>& frames) {
  table_->set_state(state_of(static_cast<int64_t>(header.id), frames, plan_, server_));
  say(who, Kind::set_state, "");
}

void ServerTalk::set_parameters(const std::string& who, const std::vector<Frame>& frames) {
  const auto blocks = blocks_of(frames, 1, plan_, server_);
  const int64_t first = plan_.first_block(server_);
  for (std::size_t b = 0; b < blocks.size(); ++b) table_->begin(first + static_cast<int64_t>(b), blocks[b]);
  say(who, Kind::set_parameters, "");
}

void ServerTalk::look(double now) {
  const double slept = last_look_ > 0 ? now - last_look_ : 0;
  last_look_ = now;
  desk_.look(now, slept > kOwnSleep ? slept : 0, silence_seconds_);
  settle(now);
  // What the loss of a worker would change must not change in the midst of a round; those that are gone still are
  // after it.
  const bool holds = this->holds();
  std::vector<std::pair<std::string, std::string>> lost;
  for (auto& [who, member] : members_) {
    if (slept > kOwnSleep) member.heard += slept;
    if (holds) continue;
    if (member.away) {
      lost.emplace_back(who, kConnectionClosed);
    } else if (now - member.heard > silence_seconds_) {
      lost.emplace_back(who, c10::str("has been silent for ", silence_seconds_, " s"));
    }
  }
  for (const auto& [who, why] : lost) {
    if (const auto member = members_.find(who); member != members_.end()) lose(who, member->second.worker, why);
  }
  if (std::exchange(look_at_early_, false)) greet_early(now);
  for (const auto& early : std::exchange(before_desk_, {})) hear(early.who, early.frames, now);
  refuse_doubles();
  save_if_due();
  watchers_.look(now, slept > kOwnSleep ? slept : 0, silence_seconds_);
  show_watchers();
}

void ServerTalk::fail(const std::string& why) {
  if (!saves_ || group_) return end(why);
  if (failure_.empty()) failure_ = why;
  for (const auto& [who, member] : members_) say(who, Kind::error, why);
  watchers_.fail(why);
  begin_anew();
}

void ServerTalk::end(const std::string& why) {
  if (failure_.empty()) failure_ = why;
  if (!std::exchange(over_, true) && group_) group_->fail(why);
  held_.clear();
  for (const auto& [who, member] : members_) say(who, Kind::error, why);
  for (const auto& early : std::exchange(early_, {})) say(early.who, Kind::error, why);
  watchers_.fail(why);
}

void ServerTalk::stop_work() {
  stops_ = true;
  desk_.stop(kAllPasses);
  for (const auto& [who, member] : members_)
    send_(who, {.kind = Kind::ping, .staleness = 1}, {Frame::of(std::string())});
}

void ServerTalk::show_watchers() {
  if (watchers_.nobody() || holds() || over_) return;
  watchers_.show({.updates = table_ ? table_->version() : std::nullopt,
                  .server = server_,
                  .done = watch_ended_.has_value(),
                  .payload = [this] {
                    const auto* statistics = desk_.said(kStatisticsTopic);
                    std::vector<Frame> frames{Frame::of(plan_text_), Frame::of(statistics ? *statistics : "")};
                    for (const auto& block : table_->copies()) frames.push_back(Frame::of(block));
                    return frames;
                  }});
}

bool ServerTalk::ends_watch(double now) {
  if (!watch_ended_ && !any_is_done()) watchers_.fail(why_none_is_done());
  if (!watch_ended_) watch_ended_ = now;
  show_watchers();
  return watchers_.nobody() || now - *watch_ended_ > silence_seconds_;
}

bool ServerTalk::all_have_left() const {
  return !left_.empty() && std::all_of(left_.begin(), left_.end(), [](Left left) { return left != Left::no; });
}

bool ServerTalk::any_is_done() const { return std::find(left_.begin(), left_.end(), Left::done) != left_.end(); }

std::string ServerTalk::why_none_is_done() const {
  if (!came_) return "no worker has come";
  return std::find(left_.begin(), left_.end(), Left::failed) != left_.end()
             ? "its workers have said that they cannot go on"
             : "its workers have gone, and none said that it is done";
}

ServerFigures ServerTalk::figures() const {
  auto figures = table_ ? table_->figures() : ServerFigures();
  if (group_) group_->add_to(figures);
  return figures;
}

void ServerTalk::answer(int64_t worker, const BlockAnswer& given) {
  send_(who_of_[static_cast<std::size_t>(worker)],
        {.kind = given.kind,
         .outcome = given.outcome,
         .worker = static_cast<int32_t>(worker),
         .id = given.id,
         .block = given.block,
         .version = given.version,
         .staleness = given.staleness},
        {given.parameters.defined() ? Frame::of(given.parameters) : Frame::of(std::string())});
}

void ServerTalk::say(const std::string& who, Kind kind, std::string text) {
  send_(who, {.kind = kind}, {Frame::of(std::move(text))});
}

}  // namespace tandem::servers
