#include "tandem/comm/local_rank.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/comm/check_tensors.h"
#include "tandem/comm/sum_tree.h"
#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {

LocalRank::LocalRank(std::shared_ptr<LocalRoom> room, int64_t rank)
    : room_(std::move(room)), seat_(room_->seat(rank)), rank_(rank), in_progress_(room_->in_progress.size()) {
  seat_.add(*this);
}

LocalRank::~LocalRank() { seat_.remove(*this); }

void LocalRank::barrier() { run({.kind = Collective::barrier}); }

void LocalRank::all_reduce(Tensor& tensor, const ReduceOptions& options) {
  check_all_reduce(tensor, "all_reduce");
  run({.kind = Collective::all_reduce, .data = tensor, .result = tensor, .options = options});
}

void LocalRank::reduce_scatter(const Tensor& whole, Tensor& part) {
  check_divided(whole, part, world_size(), "reduce_scatter");
  check_adds_up(whole.scalar_type(), "reduce_scatter");
  run({.kind = Collective::reduce_scatter, .data = whole, .result = part});
}

void LocalRank::all_gather(const Tensor& part, Tensor& whole) {
  check_divided(whole, part, world_size(), "all_gather");
  run({.kind = Collective::all_gather, .data = part, .result = whole});
}

void LocalRank::broadcast(Tensor& tensor, int64_t root) {
  check_dense(tensor, "broadcast");
  check_root(root, world_size());
  run({.kind = Collective::broadcast, .data = tensor, .result = tensor, .root = root});
}

std::unique_ptr<Communicator> LocalRank::subgroup(const std::vector<int64_t>& ranks) {
  auto room = room_->subgroup(rank_, ranks);
  const auto place = std::find(ranks.begin(), ranks.end(), rank_) - ranks.begin();
  return std::make_unique<LocalRank>(std::move(room), place);
}

void LocalRank::check_alive() {
  if (room_->hub().failed()) room_->hub().throw_failed(seat_.rank());
}

void LocalRank::run(Brought brought) {
  check_alive();
  const double entered = steady_seconds(), without_turn = seat_.seconds_without_turn();
  const uint64_t number = calls_++;
  wait_for_slot(room_->in_turn, number);
  call_.start(*room_, room_->in_turn, rank_, number, std::move(brought));
  seat_.wait([this] { return call_.advance(true); }, [this] { return call_.late(); });
  bytes_sent_ += call_.bytes();
  times_.add(entered, call_.times().all_here, seat_.seconds_without_turn() - without_turn);
  if (!call_.mismatch().empty()) throw InvalidArgument(call_.mismatch());
}

void LocalRank::wait_for_slot(LocalSlots& slots, uint64_t number) {
  auto& slot = slots.of(number);
  const auto free = slots.target(number, world_size()) - static_cast<uint64_t>(world_size());
  if (slot.done.load(std::memory_order_acquire) == free) return;
  room_->waiting_for_slot.fetch_add(1);
  seat_.wait([&] { return slot.done.load() == free; },
             [&] {
               // Where this rank has finished, it waits for those that have not; else for those for whom it has not.
               const auto* own = &slots == &room_->in_progress ? &in_progress(number - slots.size()).operation : &call_;
               const auto finished = progress_mark(number - slots.size(), kFinishedStep);
               const auto late = own->finished() ? "a call" + room_->for_ranks([&](int64_t r) {
                 return slot.entries[static_cast<std::size_t>(r)].progress.load() < finished;
               })
                                                 : own->late();
               return c10::str(late, ", while ", slots.size(), " were in progress");
             });
  room_->waiting_for_slot.fetch_sub(1);  // a failure leaves it to reset
}

void LocalRank::forget() {
  call_.forget();
  for (auto& entry : in_progress_) entry = {};
  first_ticket_ += started_;
  calls_ = oldest_ = started_ = 0;
  room_->reset();
}

}  // namespace tandem::comm
