#include "tandem/servers/server_group.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <random>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/servers/server_names.h"

namespace tandem::servers {
namespace {

int64_t some_run() {
  std::random_device random;
  return 1 + static_cast<int64_t>(random());
}

}  // namespace

ServerGroup::ServerGroup(GroupOptions options, Send send)
    : options_(std::move(options)),
      send_(std::move(send)),
      run_(some_run()),
      runs_(count()),
      saved_(count()),
      gone_(count()),
      knows_(count()),
      outbox_(count()) {
  if (options_.own < 0 || options_.own >= static_cast<int64_t>(count()))
    throw InvalidArgument(c10::str("server: host must be from 0 to ", count() - 1, ", got ", options_.own));
  if (options_.every < 0)
    throw InvalidArgument(c10::str("server: sync_every must be at least 0, got ", options_.every));
}

std::string ServerGroup::name(int64_t server) const {
  return name_of_server(server, count(), options_.hosts[static_cast<std::size_t>(server)]);
}

void ServerGroup::tell(int64_t to, Header header, std::vector<Frame> payload) {
  // Where they save, one whose workers are done still waits for the others to leave.
  const bool waits = saves() && header.kind == Kind::part && !gone_[static_cast<std::size_t>(to)];
  if (is_gone(to) && !waits) return;
  header.worker = static_cast<int32_t>(options_.own);
  if (header.kind == Kind::slice) bytes_sent_ += static_cast<int64_t>(payload[0].size());
  outbox_.keep(to, {header, payload});
  send_(to, header, std::move(payload));
}

void ServerGroup::hear(const Header& header, const std::vector<Frame>& frames) {
  const int64_t from = header.worker;
  if (from >= static_cast<int64_t>(count()) || from == options_.own)
    throw DataError(c10::str("must be another server of ", count(), ", got ", from));
  if (gone_[static_cast<std::size_t>(from)]) throw DataError("was given up here, and others went on without it");
  if (header.kind == Kind::error)
    return lost(from, c10::str(name(from), ": ", frames.size() > 1 ? frames[1].text() : ""));
  if (header.kind == Kind::parted) {
    knows_[static_cast<std::size_t>(from)] = true;
    return outbox_.forget(from);
  }
  if ((header.kind == Kind::peer || header.kind == Kind::saved) && !is_run(from, header.version)) return;
  if (header.kind == Kind::saved) return hear_saved(from, frames);
  if (!rounds_) return hear_early(from, header, frames);
  if (header.kind == Kind::peer) return agree(from, frames);
  if (header.kind == Kind::slice && (frames.size() != 2 || frames[1].size() % sizeof(float) != 0))
    throw DataError("a slice must have one payload, of float32 values");
  if (header.kind == Kind::come) outbox_.came(from, static_cast<int64_t>(header.id));
  rounds_->hear(from, header, header.kind == Kind::slice ? frames[1].floats() : Tensor());
  if (header.kind == Kind::part) send_(from, {.kind = Kind::parted, .worker = static_cast<int32_t>(options_.own)}, {});
}

void ServerGroup::look() {
  save_if_due();
  const auto is_due = [&] {
    // Nobody need wait for the slowest where workers train on, nor for one whose workers have nothing to do.
    const bool joins = rounds_->others_came() && (!holds_workers(options_.way) || table_->idle());
    return rounds_->begun() < asked_ || joins || table_->updates() >= due_;
  };
  // What is saved of a round must have nothing of the next.
  while (rounds_ && !leaves_ && !save_due_ && !rounds_->running() && is_due()) {
    if (options_.every > 0) due_ = table_->updates() + options_.every;
    rounds_->come(wishes_save());
  }
}

void ServerGroup::done() {
  table_->written();
  save_due_ = saves() && rounds_->to_be_saved();
  save_if_due();
  if (holds_workers(options_.way)) table_->hold_from(due_);
}

bool ServerGroup::wishes_save() {
  if (!saves() || table_->updates() - saved_at_ < options_.save_every) return false;
  for (std::size_t s = 0; s < count() && !told_unsaved_; ++s) {
    if (!rounds_->has_left(static_cast<int64_t>(s))) continue;
    told_unsaved_ = true;
    log_warning(name(static_cast<int64_t>(s)) + " has no workers any more: nothing more is saved");
  }
  return true;
}

void ServerGroup::save_if_due() {
  if (!save_due_ || !table_->between_updates()) return;
  save_due_ = false;
  saved_at_ = table_->updates();
  save_();
}

int64_t ServerGroup::ask(int64_t round) {
  const int64_t begun = rounds_ ? rounds_->begun() : 0;
  if (round < 0 || round > begun + 2) throw DataError(c10::str("round: must be at most ", begun + 2, ", got ", round));
  if (round == 0) round = begun + 1;
  asked_ = std::max(asked_, round);
  return round;
}

std::string ServerGroup::waiting_for() const {
  std::vector<int64_t> servers;
  if (rounds_) servers = rounds_->waiting_for();
  for (std::size_t s = 0; s < count() && !rounds_ && has_met(); ++s) {
    if (!saved_[s]) servers.push_back(static_cast<int64_t>(s));
  }
  std::string names;
  for (const auto server : servers) names += (names.empty() ? "" : ", ") + name(server);
  return names;
}

void ServerGroup::add_to(ServerFigures& figures) const {
  figures.rounds = rounds();
  figures.rounds_begun = rounds_ ? rounds_->begun() : 0;
  figures.bytes_to_servers = bytes_sent_;
}

bool ServerGroup::is_gone(int64_t server) const {
  return gone_[static_cast<std::size_t>(server)] || (rounds_ && rounds_->has_left(server));
}

void ServerGroup::lost(int64_t server, const std::string& why) {
  if (is_gone(server)) return;
  outbox_.forget(server);
  if (leaves_) {
    knows_[static_cast<std::size_t>(server)] = true;
    if (!saves()) return;
  }
  if (holds_workers(options_.way) || saves()) throw PeerError(why);
  log_warning(why + "; the others average without it");
  gone_[static_cast<std::size_t>(server)] = true;
  if (rounds_) rounds_->lost(server);
}

void ServerGroup::send_again(int64_t server) {
  for (const auto& [header, payload] : outbox_.sent(server)) send_(server, header, payload);
}

void ServerGroup::leave() {
  leaves_ = true;
  if (rounds_) rounds_->leave();
}

bool ServerGroup::may_end() const {
  for (std::size_t s = 0; s < count(); ++s) {
    const auto server = static_cast<int64_t>(s);
    if (server != options_.own && !knows_[s] && (saves() || !is_gone(server))) return false;
  }
  return true;
}

bool ServerGroup::all_others_left() const {
  for (std::size_t s = 0; s < count(); ++s) {
    const auto server = static_cast<int64_t>(s);
    if (server != options_.own && !(rounds_ && rounds_->has_left(server))) return false;
  }
  return true;
}

void ServerGroup::fail(const std::string& why) {
  for (std::size_t s = 0; s < count(); ++s) {
    const auto to = static_cast<int64_t>(s);
    if (to != options_.own && !is_gone(to))
      send_(to, {.kind = Kind::error, .worker = static_cast<int32_t>(options_.own)}, {Frame::of(why)});
  }
}

}  // namespace tandem::servers
