#include "tandem/servers/server_group.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <random>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/servers/server_names.h"
#include "tandem/servers/server_terms.h"

namespace tandem::servers {
namespace {

constexpr std::size_t kMostEarly = 1 << 16;  // messages: of hosts whose workers began before this one's

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

void ServerGroup::begin(ParameterTable& table, const ServerPlan& plan) {
  if (plan.servers() != 1 && plan.server_sync.empty())
    throw InvalidArgument(c10::str("expects a part of the parameters on each of ", plan.servers(),
                                   " servers, this one averages with others by server_sync ", name_of(options_.way),
                                   ", which workers must be told, too"));
  if (plan.servers() != 1)
    throw InvalidArgument(
        c10::str("must have one server on each host, which has all parameters, got a plan for ", plan.servers()));
  if (!plan.server_sync.empty() && (plan.server_sync != name_of(options_.way) || plan.sync_every != options_.every))
    throw InvalidArgument(c10::str("expects server_sync ", plan.server_sync, " with sync_every ", plan.sync_every,
                                   ", this server has ", name_of(options_.way), " with ", options_.every));
  table_ = &table;
  terms_ = server_terms(options_, plan, table.parameters());
  rounds_ = std::make_unique<ServerRounds>(
      options_.way, static_cast<int64_t>(count()), options_.own, table.parameters(),
      [this](int64_t to, const Header& header, const Tensor& values) {
        if (header.kind == Kind::slice) return tell(to, header, {Frame::of(values)});
        tell(to, header, {});
      },
      [this] { done(); });
  due_ = options_.every > 0 ? options_.every : INT64_MAX;
  if (holds_workers(options_.way)) table.hold_from(due_);
  for (std::size_t s = 0; s < count(); ++s) {
    const auto to = static_cast<int64_t>(s);
    if (to != options_.own) tell(to, {.kind = Kind::peer, .version = run_}, {Frame::of(terms_)});
    if (gone_[s]) rounds_->lost(to);
  }
  const auto early = std::exchange(early_, {});
  for (const auto& [header, frames] : early) hear(header, frames);
}

void ServerGroup::tell(int64_t to, Header header, std::vector<Frame> payload) {
  if (is_gone(to)) return;
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
  if (!rounds_) {
    if (early_.size() >= kMostEarly) throw DataError("says too much before this server has its parameters");
    early_.emplace_back(header, frames);
    return;
  }
  if (header.kind == Kind::peer) return agree(from, header.version, frames);
  if (header.kind == Kind::slice && (frames.size() != 2 || frames[1].size() % sizeof(float) != 0))
    throw DataError("a slice must have one payload, of float32 values");
  if (header.kind == Kind::come) outbox_.came(from, static_cast<int64_t>(header.id));
  rounds_->hear(from, header, header.kind == Kind::slice ? frames[1].floats() : Tensor());
  if (header.kind == Kind::part) send_(from, {.kind = Kind::parted, .worker = static_cast<int32_t>(options_.own)}, {});
}

void ServerGroup::agree(int64_t server, int64_t run, const std::vector<Frame>& frames) {
  auto& known = runs_[static_cast<std::size_t>(server)];
  if (known != 0 && known != run) return lost(server, name(server) + ": has begun anew, without the others' rounds");
  known = run;
  const auto wrong = difference_of_terms(terms_, frames.size() > 1 ? frames[1].text() : "");
  if (!wrong.empty()) throw PeerError(name(server) + ": " + wrong);
}

void ServerGroup::look() {
  const auto is_due = [&] {
    // Nobody need wait for the slowest where workers train on, nor for one whose workers have nothing to do.
    const bool joins = rounds_->others_came() && (!holds_workers(options_.way) || table_->idle());
    return rounds_->begun() < asked_ || joins || table_->updates() >= due_;
  };
  while (rounds_ && !leaves_ && !rounds_->running() && is_due()) {
    if (options_.every > 0) due_ = table_->updates() + options_.every;
    rounds_->come();
  }
}

void ServerGroup::done() {
  table_->written();
  if (holds_workers(options_.way)) table_->hold_from(due_);
}

int64_t ServerGroup::ask(int64_t round) {
  const int64_t begun = rounds_ ? rounds_->begun() : 0;
  if (round < 0 || round > begun + 2) throw DataError(c10::str("round: must be at most ", begun + 2, ", got ", round));
  if (round == 0) round = begun + 1;
  asked_ = std::max(asked_, round);
  return round;
}

std::string ServerGroup::waiting_for() const {
  std::string names;
  for (const auto server : rounds_ ? rounds_->waiting_for() : std::vector<int64_t>())
    names += (names.empty() ? "" : ", ") + name(server);
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
    return;
  }
  if (holds_workers(options_.way)) throw PeerError(why);
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
    if (server != options_.own && !knows_[s] && !is_gone(server)) return false;
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
