// How workers and server begin, from worker 0's parameters or from what was saved.
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/servers/plan_difference.h"
#include "tandem/servers/saved_updates.h"
#include "tandem/servers/server_talk.h"
#include "tandem/servers/state_frames.h"

namespace tandem::servers {
namespace {

// Neither the worker's fault nor that of what is saved.
struct NotNow : Error {
  using Error::Error;
};

constexpr auto kIsHere = "is here already, in another process";
// Seconds after which what a process said before its end has come.
constexpr double kLastWords = 2;

}  // namespace

void ServerTalk::hello(const std::string& who, const Header& header, const std::vector<Frame>& frames, double now) {
  if (frames.size() < 2) throw DataError("hello must have a plan");
  if (group_ && group_->leaves()) throw NotNow("comes when this server has left those of the other hosts");
  if (members_.contains(who)) return say(who, Kind::hello, "");
  if (table_ || begin_table(who, header, frames, now)) greet(who, header, frames, now);
}

bool ServerTalk::begin_table(const std::string& who, const Header& header, const std::vector<Frame>& frames,
                             double now) {
  if (saves_ && group_) return begin_with_others(who, header, frames, now);
  if (saves_) {
    const auto plan = ServerPlan::decode(frames[1].text());
    const auto saved = saves_->versions(header.block, plan.servers());
    if (plan.mode != ServerMode::sync && !saved.empty()) {
      restore_table(plan, std::string(frames[1].text()), header.block, saved.back());
      return true;
    }
    if (plan.mode == ServerMode::sync && header.worker == 0) {
      offered_ = Early{who, header, frames, now};
      send_(who, {.kind = Kind::hello}, {Frame::of(std::string()), Frame::of(encode_saved(saved))});
      return false;
    }
  }
  if (header.worker != 0) {
    keep_early(who, header, frames, now);
    return false;
  }
  make_table(header, frames);
  return true;
}

bool ServerTalk::begin_with_others(const std::string& who, const Header& header, const std::vector<Frame>& frames,
                                   double now) {
  std::optional<int64_t> round;
  if (header.worker == 0) {
    const auto plan = ServerPlan::decode(frames[1].text());
    group_->check(plan);
    try {
      if (!group_->has_met()) group_->meet(saves_->versions(0, 1));
      round = group_->common_round();
      if (round.value_or(0) > 0) restore_table(plan, std::string(frames[1].text()), 0, *round);
    } catch (const DataError& error) {
      refuse(who, header, Fault::files, error.what());
      end(error.what());  // the others wait for this one
      return false;
    }
    if (round == 0) make_table(header, frames);
  }
  if (!round) keep_early(who, header, frames, now);
  return round.has_value();
}

void ServerTalk::resume(const std::string& who, const Header& header, double now) {
  if (members_.contains(who)) return say(who, Kind::hello, "");
  if (table_ || !offered_ || offered_->who != who)
    throw NotNow("was not offered what is saved, or another has begun meanwhile");
  const Early offered = *std::exchange(offered_, std::nullopt);
  if (header.version == 0) {
    make_table(offered.header, offered.frames);
  } else {
    const auto text = offered.frames[1].text();
    restore_table(ServerPlan::decode(text), std::string(text), offered.header.block, header.version);
  }
  greet(who, offered.header, offered.frames, now);
}

bool ServerTalk::comes_back(const std::string& who, const Header& header, double now) {
  if (!saves_ || group_ || header.kind == Kind::ping || header.kind == Kind::leave) return false;
  if (table_ || std::exchange(looked_, true)) return false;
  const auto newest = saves_->newest_of_one_server();
  if (!newest || std::find(newest->names.begin(), newest->names.end(), who) == newest->names.end()) return false;
  restore_table(ServerPlan::decode(newest->plan_text), newest->plan_text, newest->server, newest->version);
  // All that were there are expected: updates must leave those that still compute within the bound of staleness.
  who_of_ = newest->names;
  for (std::size_t w = 0; w < who_of_.size(); ++w) {
    if (who_of_[w].empty()) continue;
    const auto worker = static_cast<int64_t>(w);
    table_->rejoin(worker, newest->given[w]);
    members_[who_of_[w]] = {worker, now};
  }
  came_ = true;
  return true;
}

void ServerTalk::greet(const std::string& who, const Header& header, const std::vector<Frame>& frames, double now) {
  if (frames[1].text() != plan_text_)
    throw InvalidArgument(
        c10::str("its plan differs from worker 0's: ", plan_difference(ServerPlan::decode(frames[1].text()), plan_)));
  if (header.block != server_)
    throw InvalidArgument(c10::str("counts this server as ", header.block, ", worker 0 as ", server_,
                                   ": all must name the servers in one order"));
  check_block({.worker = header.worker, .block = plan_.first_block(server_)},
              static_cast<std::size_t>(plan_.block_elements(plan_.first_block(server_))) * sizeof(float), plan_,
              server_);
  const auto w = static_cast<std::size_t>(header.worker);
  if (!who_of_[w].empty()) {
    // Where workers may begin anew it may be an older run whose end has not been noticed yet.
    if (saves_ || !plan_.needs_all()) return keep_early(who, header, frames, now);
    throw NotNow(kIsHere);
  }
  // Of a run before this one, which has left its updates.
  if (members_.empty() && plan_.mode != ServerMode::sync) resumed_ = std::max(resumed_, table_->updates());
  table_->join(header.worker);
  members_[who] = {header.worker, now};
  who_of_[w] = who;
  left_[w] = Left::no;
  send_(who, {.kind = Kind::hello, .version = resumed_}, {Frame::of(std::string())});
  greet_early(now);
}

void ServerTalk::make_table(const Header& header, const std::vector<Frame>& frames) {
  const auto plan = ServerPlan::decode(frames[1].text());
  if (header.block >= plan.servers())
    throw DataError(c10::str("the server's number must be below ", plan.servers(), ", got ", header.block));
  const int64_t first = plan.first_block(header.block), count = plan.first_block(header.block + 1) - first;
  if (static_cast<int64_t>(frames.size()) != 2 + count)
    throw DataError(c10::str("worker 0 must bring the parameters of ", count, " blocks, got ", frames.size() - 2));
  if (!group_ && !plan.server_sync.empty())
    throw InvalidArgument(
        c10::str("expects servers that average (server_sync ", plan.server_sync, "), this one was told of no others"));
  const auto blocks = blocks_of(frames, 2, plan, header.block);
  auto table = ParameterTable::make(plan, header.block, answers());
  for (int64_t b = 0; b < count; ++b) table->begin(first + b, blocks[static_cast<std::size_t>(b)]);
  set_table(std::move(table), plan, std::string(frames[1].text()), header.block);
  resumed_ = 0;
}

void ServerTalk::restore_table(const ServerPlan& plan, std::string plan_text, int64_t server, int64_t version) {
  const auto snapshot = saves_->read(server, plan.servers(), version, plan_text);
  auto table = ParameterTable::make(plan, server, answers());
  table->restore(snapshot);
  saves_->forget_after(server, plan.servers(), version);
  set_table(std::move(table), plan, std::move(plan_text), server, group_ ? version : 0);
  // Of hosts one may have made no update of its own.
  resumed_ = std::max<int64_t>(snapshot.version, 1);
}

void ServerTalk::set_table(std::unique_ptr<ParameterTable> table, const ServerPlan& plan, std::string plan_text,
                           int64_t server, int64_t rounds) {
  plan_text_ = std::move(plan_text);
  plan_ = plan;
  server_ = server;
  table_ = std::move(table);
  who_of_.assign(static_cast<std::size_t>(plan_.workers), "");
  left_.assign(static_cast<std::size_t>(plan_.workers), Left::no);
  looked_ = true;
  failure_.clear();
  if (group_) group_->begin(*table_, plan_, rounds);
}

ParameterTable::Send ServerTalk::answers() {
  return [this](int64_t worker, const BlockAnswer& given) { answer(worker, given); };
}

void ServerTalk::keep_early(const std::string& who, const Header& header, const std::vector<Frame>& frames,
                            double now) {
  const auto same = [&](const Early& early) { return early.who == who; };
  if (std::any_of(early_.begin(), early_.end(), same)) return;
  // Parameters are worker 0's alone.
  early_.push_back({who, header, header.worker == 0 ? frames : std::vector<Frame>{frames[0], frames[1]}, now});
}

void ServerTalk::greet_early(double now) {
  const auto early = std::move(early_);
  early_.clear();
  for (const auto& hello : early) hear(hello.who, hello.frames, now);
}

// Those whose number a process has that goes on speaking.
void ServerTalk::refuse_doubles() {
  const auto is_double = [&](const Early& early) {
    const auto w = static_cast<std::size_t>(early.header.worker);
    const auto first = w < who_of_.size() ? members_.find(who_of_[w]) : members_.end();
    if (first == members_.end() || first->second.heard < early.came + kLastWords) return false;
    say(early.who, Kind::error, c10::str("worker ", w, ": ", kIsHere));
    return true;
  };
  early_.erase(std::remove_if(early_.begin(), early_.end(), is_double), early_.end());
}

void ServerTalk::begin_anew() {
  members_.clear();
  who_of_.clear();
  left_.clear();
  offered_.reset();
  table_.reset();
  look_at_early_ = true;
}

void ServerTalk::save_if_due() {
  if (!saves_ || !table_ || group_) return;
  const auto version = table_->version();
  if (version && saves_->due(*version)) save();
}

void ServerTalk::save() {
  auto snapshot = table_->snapshot(saves_->spare());
  if (group_) {
    snapshot.version = table_->updates();
    group_->add_to(snapshot.figures);
  }
  snapshot.plan_text = plan_text_;
  snapshot.server = server_;
  snapshot.names = who_of_;
  saves_->save(std::move(snapshot));
}

void ServerTalk::forget_saved() {
  if (saves_ && !plan_text_.empty()) saves_->forget_after(server_, plan_.servers(), -1);
}

}  // namespace tandem::servers
