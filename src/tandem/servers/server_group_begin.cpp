// How the servers of several hosts begin: what they have saved, and what all must agree on.
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/servers/saved_updates.h"
#include "tandem/servers/server_group.h"
#include "tandem/servers/server_terms.h"

namespace tandem::servers {
namespace {

constexpr std::size_t kMostEarly = 1 << 16;  // messages: of hosts whose workers began before this one's

std::string_view text_in(const std::vector<Frame>& frames) { return frames.size() > 1 ? frames[1].text() : ""; }

}  // namespace

void ServerGroup::meet(std::vector<int64_t> saved) {
  if (has_met()) return;
  const auto text = encode_saved(saved);
  saved_[static_cast<std::size_t>(options_.own)] = std::move(saved);
  for (int64_t to = 0; to < static_cast<int64_t>(count()); ++to) {
    if (to != options_.own) tell(to, {.kind = Kind::saved, .version = run_}, {Frame::of(text)});
  }
}

void ServerGroup::hear_saved(int64_t server, const std::vector<Frame>& frames) {
  if (!saves()) throw PeerError(name(server) + ": saves, which this one does not: all must, or none");
  saved_[static_cast<std::size_t>(server)] = decode_saved(text_in(frames));
}

std::optional<int64_t> ServerGroup::common_round() const {
  if (!std::all_of(saved_.begin(), saved_.end(), [](const auto& one) { return one.has_value(); })) return {};
  std::vector<std::string> names;
  for (std::size_t s = 0; s < count(); ++s) names.push_back(name(static_cast<int64_t>(s)));
  return common_update(saved_, names, "round");
}

void ServerGroup::check(const ServerPlan& plan) const {
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
}

void ServerGroup::begin(ParameterTable& table, const ServerPlan& plan, int64_t rounds) {
  check(plan);
  table_ = &table;
  terms_ = server_terms(options_, plan, table.parameters(), rounds);
  rounds_ = std::make_unique<ServerRounds>(
      options_.way, static_cast<int64_t>(count()), options_.own, table.parameters(),
      [this](int64_t to, const Header& header, const Tensor& values) {
        if (header.kind == Kind::slice) return tell(to, header, {Frame::of(values)});
        tell(to, header, {});
      },
      [this] { done(); }, rounds);
  due_ = options_.every > 0 ? table.updates() + options_.every : INT64_MAX;
  saved_at_ = table.updates();
  bytes_sent_ = table.figures().bytes_to_servers;
  if (holds_workers(options_.way)) table.hold_from(due_);
  for (std::size_t s = 0; s < count(); ++s) {
    const auto to = static_cast<int64_t>(s);
    if (to != options_.own) tell(to, {.kind = Kind::peer, .version = run_}, {Frame::of(terms_)});
    if (gone_[s]) rounds_->lost(to);
  }
  const auto early = std::exchange(early_, {});
  for (const auto& [header, frames] : early) hear(header, frames);
}

void ServerGroup::hear_early(int64_t server, const Header& header, const std::vector<Frame>& frames) {
  if (saves() && header.kind == Kind::peer && !terms_save(text_in(frames)))
    throw PeerError(name(server) + ": does not save, which this one does: all must, or none");
  // It waits for what this server has saved, unless an earlier run of this one has told it.
  if (saves() && header.kind != Kind::peer && header.kind != Kind::part && !has_met())
    throw PeerError("has begun anew, in the midst of the others' rounds");
  if (early_.size() >= kMostEarly) throw DataError("says too much before this server has its parameters");
  early_.emplace_back(header, frames);
}

bool ServerGroup::is_run(int64_t server, int64_t run) {
  auto& known = runs_[static_cast<std::size_t>(server)];
  if (known != 0 && known != run) {
    lost(server, name(server) + ": has begun anew, without the others' rounds");
    return false;
  }
  known = run;
  return true;
}

void ServerGroup::agree(int64_t server, const std::vector<Frame>& frames) {
  const auto wrong = difference_of_terms(terms_, text_in(frames));
  if (!wrong.empty()) throw PeerError(name(server) + ": " + wrong);
}

}  // namespace tandem::servers
