// Operations that were started and go on within later calls.
#include <c10/util/StringUtil.h>

#include "tandem/comm/check_tensors.h"
#include "tandem/comm/local_rank.h"
#include "tandem/comm/sum_tree.h"
#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {

Pending LocalRank::all_reduce_async(Tensor& tensor, const ReduceOptions& options) {
  check_all_reduce(tensor, "all_reduce_async");
  return start({.kind = Collective::all_reduce, .data = tensor, .result = tensor, .options = options});
}

Pending LocalRank::broadcast_async(Tensor& tensor, int64_t root) {
  check_dense(tensor, "broadcast_async");
  check_root(root, world_size());
  return start({.kind = Collective::broadcast, .data = tensor, .result = tensor, .root = root});
}

Pending LocalRank::start(Brought brought) {
  check_alive();
  const double entered = steady_seconds(), without_turn = seat_.seconds_without_turn();
  make_room_for_one();
  wait_for_slot(room_->in_progress, started_);
  const double free = steady_seconds();
  const uint64_t number = started_++;
  auto& entry = in_progress(number);
  entry.wanted = true;
  entry.operation.start(*room_, room_->in_progress, rank_, number, std::move(brought));
  for (uint64_t n = oldest_; n < started_; ++n) move_on(in_progress(n), false);
  times_.add(entered, free, seat_.seconds_without_turn() - without_turn);
  return Pending(*this, first_ticket_ + number);
}

bool LocalRank::advance(uint64_t ticket) {
  if (ticket < first_ticket_ || room_->hub().failed()) return true;  // wait throws
  auto& entry = in_progress(ticket - first_ticket_);
  if (entry.operation.finished()) return true;
  const double entered = steady_seconds();
  const bool finished = move_on(entry, false);
  times_.add_moving(entered);
  return finished;
}

ReduceTimes LocalRank::wait(uint64_t ticket) {
  if (ticket < first_ticket_)
    throw PeerError(c10::str("rank ", rank_, " of ", world_size(),
                             ": the operation was given up when the group was "
                             "made usable again after a failure"));
  auto& entry = in_progress(ticket - first_ticket_);
  entry.wanted = false;
  const double entered = steady_seconds(), without_turn = seat_.seconds_without_turn();
  auto& operation = entry.operation;
  seat_.wait([&] { return move_on(entry, true); }, [&] { return operation.late(); });
  const ReduceTimes times = operation.times();
  times_.add(entered, times.all_here, seat_.seconds_without_turn() - without_turn);
  if (!operation.mismatch().empty()) throw InvalidArgument(operation.mismatch());
  return times;
}

void LocalRank::let_go(uint64_t ticket) noexcept {
  if (ticket >= first_ticket_) in_progress(ticket - first_ticket_).wanted = false;
}

void LocalRank::progress() {
  for (uint64_t n = oldest_; n < started_; ++n) move_on(in_progress(n), true);
}

bool LocalRank::move_on(InProgress& entry, bool help) {
  if (entry.operation.finished()) return true;
  if (!entry.operation.advance(help)) return false;
  bytes_sent_ += entry.operation.bytes();
  return true;
}

void LocalRank::make_room_for_one() {
  while (oldest_ < started_ && !in_progress(oldest_).wanted && in_progress(oldest_).operation.finished()) ++oldest_;
  if (started_ - oldest_ < in_progress_.size()) return;
  std::vector<InProgress> more(2 * in_progress_.size());
  for (uint64_t n = oldest_; n < started_; ++n) more[n % more.size()] = std::move(in_progress(n));
  in_progress_ = std::move(more);
}

}  // namespace tandem::comm
