#include "tandem/servers/server_rounds.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem::servers {

ServerRounds::ServerRounds(ServerSync way, int64_t servers, int64_t own, Tensor parameters, Send send,
                           std::function<void()> done, int64_t made)
    : way_(way),
      own_(own),
      parameters_(std::move(parameters)),
      send_(std::move(send)),
      done_(std::move(done)),
      round_(made + 1),
      came_(static_cast<std::size_t>(servers)),
      first_without_(static_cast<std::size_t>(servers), kNever),
      early_elements_(static_cast<std::size_t>(servers)) {}

void ServerRounds::tell_all(const Header& header) {
  for (std::size_t s = 0; s < came_.size(); ++s) {
    const auto to = static_cast<int64_t>(s);
    if (to != own_ && (header.kind == Kind::part || is_in(s, round_))) send_(to, header, {});
  }
}

void ServerRounds::come(bool save) {
  if (running_) throw InternalError(c10::str("server ", own_, " comes to a round while ", round_, " is running"));
  running_ = true;
  came_[static_cast<std::size_t>(own_)] = round_;
  if (save) wished_.insert(round_);
  tell_all({.kind = Kind::come,
            .worker = static_cast<int32_t>(own_),
            .id = static_cast<uint64_t>(round_),
            .version = save ? 1 : 0});
  start_if_all_came();
}

void ServerRounds::start_if_all_came() {
  if (!running_ || average_round_) return;
  if (!holds_workers(way_) || waiting_for().empty()) start();
}

void ServerRounds::start() {
  AverageRound::Task task{.own = own_, .values = parameters_, .result = parameters_};
  // A ring sends nothing that is written over before it has come; what goes to all may still be on its way to the
  // slowest when this server goes on.
  if (way_ != ServerSync::ring) task.values = begun_ = parameters_.clone();
  if (way_ == ServerSync::async_scatter_sum) {
    if (!average_.defined()) average_ = at::empty_like(parameters_);
    task.result = average_;
  }
  for (std::size_t s = 0; s < came_.size(); ++s) {
    if (is_in(s, round_)) task.members.push_back(static_cast<int64_t>(s));
  }
  task.send = [this](int64_t to, const AverageSlice& slice) {
    send_(to,
          {.kind = Kind::slice,
           .worker = static_cast<int32_t>(own_),
           .id = static_cast<uint64_t>(round_),
           .block = slice.begin,
           .version = slice.step},
          slice.values);
  };
  average_round_ = AverageRound::make(way_, std::move(task));
  average_round_->begin();
  while (!early_.empty() && std::get<0>(early_.begin()->first) <= round_) {
    const auto first = early_.extract(early_.begin());
    const auto [round, from, step, begin] = first.key();
    early_elements_[static_cast<std::size_t>(from)] -= first.mapped().numel();
    if (round == round_) average_round_->hear(from, {step, begin, first.mapped()});
  }
  finish_if_complete();
}

void ServerRounds::hear(int64_t from, const Header& header, const Tensor& values) {
  const auto s = static_cast<std::size_t>(from);
  if (from < 0 || s >= came_.size() || from == own_)
    throw DataError(c10::str("server: must be another of ", came_.size(), ", got ", from));
  const auto round = static_cast<int64_t>(header.id);
  if (round < 1) throw DataError(c10::str("round: must be at least 1, got ", round));
  if (header.kind == Kind::slice) return hear_slice(from, round, {header.version, header.block, values});
  // Where this server has left, others are as far as they like.
  if (header.kind == Kind::part && !is_in(static_cast<std::size_t>(own_), round_)) return gone(from, round);
  // It cannot have the next round before it has what this server sends in this one.
  const auto last = round_ + (header.kind == Kind::part ? 2 : 1);
  if (round > last) throw DataError(c10::str("round: must be at most ", last, ", got ", round));
  if (header.kind == Kind::part) return gone(from, round);
  came_[s] = std::max(came_[s], round);
  if (header.version == 1 && round >= round_) wished_.insert(round);
  start_if_all_came();
}

void ServerRounds::hear_slice(int64_t from, int64_t round, AverageSlice slice) {
  if (round < round_) return;  // sent again
  if (round > round_ + 1) throw DataError(c10::str("round: must be ", round_, " or the next, got ", round));
  if (round == round_ && average_round_) {
    average_round_->hear(from, slice);
    return finish_if_complete();
  }
  const auto n = slice.values.numel();
  auto& early = early_elements_[static_cast<std::size_t>(from)];
  // A round's slices, and at most the next one's.
  if (early + n > 2 * parameters_.numel())
    throw DataError(c10::str("slices of server ", from, ": must be at most two rounds of ", parameters_.numel(),
                             " elements before this server comes to them"));
  if (early_.emplace(std::tuple(round, from, slice.step, slice.begin), slice.values).second) early += n;
}

void ServerRounds::leave() {
  const auto first = running_ ? round_ + 1 : round_;
  first_without_[static_cast<std::size_t>(own_)] = first;
  tell_all({.kind = Kind::part, .worker = static_cast<int32_t>(own_), .id = static_cast<uint64_t>(first)});
}

void ServerRounds::lost(int64_t server) { gone(server, round_); }

void ServerRounds::gone(int64_t server, int64_t first_without) {
  auto& first = first_without_[static_cast<std::size_t>(server)];
  const bool was_in = first > round_;
  first = std::min(first, first_without);
  if (average_round_ && was_in && first <= round_) {
    average_round_->without(server);
    return finish_if_complete();
  }
  start_if_all_came();
}

void ServerRounds::finish_if_complete() {
  if (!average_round_->complete()) return;
  // In this order all that changed nothing meanwhile have the average's bits.
  if (!holds_workers(way_)) parameters_.sub_(begun_).add_(average_);
  average_round_.reset();
  begun_.reset();
  to_be_saved_ = wished_.erase(round_) > 0 && std::all_of(first_without_.begin(), first_without_.end(),
                                                          [&](int64_t first) { return first > round_; });
  running_ = false;
  ++round_;
  done_();
}

bool ServerRounds::others_came() const {
  for (std::size_t s = 0; s < came_.size(); ++s) {
    if (static_cast<int64_t>(s) != own_ && came_[s] >= round_ && is_in(s, round_)) return !running_;
  }
  return false;
}

std::vector<int64_t> ServerRounds::waiting_for() const {
  if (!running_) return {};
  if (average_round_) return average_round_->missing();
  std::vector<int64_t> servers;
  for (std::size_t s = 0; s < came_.size(); ++s) {
    if (came_[s] < round_ && is_in(s, round_)) servers.push_back(static_cast<int64_t>(s));
  }
  return servers;
}

}  // namespace tandem::servers
