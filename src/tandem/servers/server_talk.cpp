#include "tandem/servers/server_talk.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/servers/server_message.h"
#include "tandem/servers/state_frames.h"

namespace tandem::servers {
namespace {

constexpr std::size_t kLongestError = 500;  // bytes
constexpr double kOwnSleep = 1;             // seconds between two looks after which it is we who slept

// Messages repeat names that came as bytes; those of LibTorch have several lines.
std::string one_line(std::string text) {
  if (text.size() > kLongestError) text.resize(kLongestError);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

}  // namespace

void ServerTalk::hear(const std::string& who, const std::vector<Frame>& frames, double now) {
  const auto header = frames.empty() ? std::nullopt : decode_header(frames[0].text());
  if (!header) return;
  const auto member = members_.find(who);
  if (member != members_.end()) member->second.heard = now;
  answer_errors(who, *header, frames, now);
  settle(now);
}

void ServerTalk::answer_errors(const std::string& who, const Header& header, const std::vector<Frame>& frames,
                               double now) {
  const bool server = group_ && (is_between_servers(header.kind) || header.kind == Kind::error);
  try {
    if (server && !failure_.empty()) return say(who, Kind::error, failure_);
    if (server) return group_->hear(header, frames);
    handle(who, header, frames, now);
  } catch (const PeerError& error) {
    fail(error.what());
  } catch (const std::exception& error) {  // of that worker's making, LibTorch's own among them
    say(who, Kind::error, c10::str(server ? "server " : "worker ", header.worker, ": ", one_line(error.what())));
  }
}

// What follows from a message: a round of the servers, and what was held for it.
void ServerTalk::settle(double now) {
  if (!group_ || settles_) return;
  settles_ = true;
  for (bool more = true; more && failure_.empty();) {
    try {
      group_->look();
    } catch (const std::exception& error) {
      fail(one_line(error.what()));
      break;
    }
    answer_asked();
    more = !held_.empty() && !holds();
    if (!more) break;
    const auto held = held_.pop();
    answer_errors(held.who, held.header, held.frames, now);
  }
  settles_ = false;
}

void ServerTalk::ask_average(const std::string& who, uint64_t id) {
  // Without others its parameters are the average.
  const bool asks = group_ && asks_.is_new(who, id);
  asks_.add(who, id, asks ? group_->ask() : 0);
  answer_asked();
}

void ServerTalk::answer_asked() {
  asks_.take(group_ ? group_->rounds() : 0,
             [this](const std::string& who, uint64_t id) { send_(who, {.kind = Kind::average, .id = id}, {}); });
}

void ServerTalk::lost_server(int64_t server, const std::string& why) {
  try {
    group_->lost(server, why);
  } catch (const PeerError& error) {
    fail(error.what());
  }
}

void ServerTalk::handle(const std::string& who, const Header& header, const std::vector<Frame>& frames, double now) {
  if (!failure_.empty() && header.kind != Kind::leave) return say(who, Kind::error, failure_);
  const bool holds = this->holds();
  if (header.kind == Kind::ping) {
    if (holds) return say(who, Kind::ping, group_->waiting_for());
    return say(who, Kind::ping, table_ ? table_->waiting_for() : "worker 0, who begins");
  }
  // A gradient's blocks, once more after a new connection, and some questions.
  if (holds) return held_.push({who, header, frames}, 2 * plan_.blocks() + 16);
  if (header.kind == Kind::hello) return hello(who, header, frames, now);
  const auto member = members_.find(who);
  if (member == members_.end()) {
    if (header.kind == Kind::leave) return say(who, Kind::leave, "");
    throw DataError(c10::str("is not known here: it was given up after ", silence_seconds_,
                             " s of silence, or the server has begun anew"));
  }
  const int64_t worker = member->second.worker;
  if (header.worker != worker) throw DataError(c10::str("must be ", worker, " as it said first"));
  switch (header.kind) {
    case Kind::push: {
      if (frames.size() != 2) throw DataError("a push must have one payload");
      check_block(header, frames[1].size(), plan_, server_);
      return table_->push({worker, header.id, header.block, header.version, header.rows, header.all_rows, header.rate,
                           header.scale, frames[1].floats()});
    }
    case Kind::pull:
      return table_->pull(worker, header.id);
    case Kind::rest:
      return table_->rest(worker);
    case Kind::leave:
      return leave(who, worker);
    case Kind::state:
      return send_state(who);
    case Kind::set_state:
      return set_state(who, header, frames);
    case Kind::set_parameters:
      return set_parameters(who, frames);
    case Kind::figures: {
      auto figures = table_->figures();
      if (group_) group_->add_to(figures);
      return say(who, Kind::figures, figures.encode());
    }
    case Kind::average:
      return ask_average(who, header.id);
    default:
      throw DataError("this kind of message is for workers");
  }
}

void ServerTalk::hello(const std::string& who, const Header& header, const std::vector<Frame>& frames, double now) {
  if (frames.size() < 2) throw DataError("hello must have a plan");
  if (group_ && group_->leaves()) throw DataError("comes when this server has left those of the other hosts");
  if (members_.contains(who)) return say(who, Kind::hello, "");
  if (!table_ && header.worker != 0) {
    const auto same = [&](const Early& early) { return early.who == who; };
    if (std::none_of(early_.begin(), early_.end(), same)) early_.push_back({who, header, {frames[0], frames[1]}});
    return;
  }
  if (!table_) make_table(header, frames);
  if (frames[1].text() != plan_text_)
    throw DataError("its plan differs from worker 0's: all must have the same model, optimizer, mode and servers");
  if (header.block != server_)
    throw DataError(c10::str("counts this server as ", header.block, ", worker 0 as ", server_,
                             ": all must name the servers in one order"));
  check_block({.worker = header.worker, .block = plan_.first_block(server_)},
              static_cast<std::size_t>(plan_.block_elements(plan_.first_block(server_))) * sizeof(float), plan_,
              server_);
  const auto w = static_cast<std::size_t>(header.worker);
  if (!who_of_[w].empty()) {
    if (plan_.mode == ServerMode::sync) throw DataError("is here already, in another process");
    members_.erase(who_of_[w]);
    table_->lost(header.worker, "has begun anew");
  }
  table_->join(header.worker);
  members_[who] = {header.worker, now};
  who_of_[w] = who;
  left_[w] = false;
  say(who, Kind::hello, "");
  greet_early(now);
}

void ServerTalk::make_table(const Header& header, const std::vector<Frame>& frames) {
  auto plan = ServerPlan::decode(frames[1].text());
  if (header.block >= plan.servers())
    throw DataError(c10::str("the server's number must be below ", plan.servers(), ", got ", header.block));
  const int64_t first = plan.first_block(header.block), count = plan.first_block(header.block + 1) - first;
  if (static_cast<int64_t>(frames.size()) != 2 + count)
    throw DataError(c10::str("worker 0 must bring the parameters of ", count, " blocks, got ", frames.size() - 2));
  const auto blocks = blocks_of(frames, 2, plan, header.block);
  auto table = ParameterTable::make(plan, header.block,
                                    [this](int64_t worker, const BlockAnswer& given) { answer(worker, given); });
  for (int64_t b = 0; b < count; ++b) table->begin(first + b, blocks[static_cast<std::size_t>(b)]);
  plan_text_ = frames[1].text();
  plan_ = std::move(plan);
  server_ = header.block;
  table_ = std::move(table);
  who_of_.assign(static_cast<std::size_t>(plan_.workers), "");
  left_.assign(static_cast<std::size_t>(plan_.workers), false);
  if (group_) group_->begin(*table_, plan_);
}

void ServerTalk::greet_early(double now) {
  const auto early = std::move(early_);
  early_.clear();
  for (const auto& [who, header, frames] : early) hear(who, frames, now);
}

void ServerTalk::leave(const std::string& who, int64_t worker) {
  members_.erase(who);
  asks_.forget(who);
  who_of_[static_cast<std::size_t>(worker)].clear();
  left_[static_cast<std::size_t>(worker)] = true;
  say(who, Kind::leave, "");
  table_->leave(worker);
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
  settle(now);
  // What the loss of a worker would change must not change in the midst of a round; those that are silent still are
  // after it.
  const bool holds = this->holds();
  std::vector<std::pair<std::string, int64_t>> silent;
  for (auto& [who, member] : members_) {
    if (slept > kOwnSleep) member.heard += slept;
    if (!holds && now - member.heard > silence_seconds_) silent.emplace_back(who, member.worker);
  }
  for (const auto& [who, worker] : silent) {
    members_.erase(who);
    asks_.forget(who);
    who_of_[static_cast<std::size_t>(worker)].clear();
    try {
      table_->lost(worker, c10::str("has been silent for ", silence_seconds_, " s"));
    } catch (const PeerError& error) {
      fail(error.what());
    }
  }
}

void ServerTalk::fail(const std::string& why) {
  if (failure_.empty()) {
    failure_ = why;
    if (group_) group_->fail(why);
  }
  held_.clear();
  for (const auto& [who, member] : members_) say(who, Kind::error, why);
  for (const auto& early : early_) say(early.who, Kind::error, why);
}

bool ServerTalk::all_have_left() const {
  return !left_.empty() && std::all_of(left_.begin(), left_.end(), [](bool left) { return left; });
}

void ServerTalk::answer(int64_t worker, const BlockAnswer& given) {
  send_(who_of_[static_cast<std::size_t>(worker)],
        {.kind = Kind::params,
         .outcome = given.outcome,
         .worker = static_cast<int32_t>(worker),
         .id = given.id,
         .block = given.block,
         .version = given.version,
         .staleness = given.staleness},
        {Frame::of(given.parameters)});
}

void ServerTalk::say(const std::string& who, Kind kind, std::string text) {
  send_(who, {.kind = kind}, {Frame::of(std::move(text))});
}

}  // namespace tandem::servers
