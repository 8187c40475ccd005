#include "tandem/comm/shared_rank.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cstring>

#include "tandem/comm/check_tensors.h"
#include "tandem/comm/sum_tree.h"
#include "tandem/core/activity.h"
#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {
namespace {

constexpr int64_t kSubgroupTag = -0x7a6e;  // of the message that tells where a sub-group meets
constexpr std::size_t kLongestAddress = 64;

}  // namespace

SharedRank::SharedRank(std::shared_ptr<SharedRoom> room, int64_t rank)
    : room_(std::move(room)),
      seat_(room_->hub().seat(room_->member(rank))),
      rank_(rank),
      in_turn_(*room_, SharedRoom::in_turn, rank),
      in_progress_(*room_, SharedRoom::in_progress, rank),
      mailbox_(*room_, rank) {
  seat_.add(*this);
}

SharedRank::~SharedRank() { seat_.remove(*this); }

void SharedRank::progress() {
  if (room_->hub().failed()) return;
  in_progress_.progress();
  mailbox_.progress();
}

void SharedRank::check_alive() {
  if (room_->hub().failed())
    throw PeerError(c10::str("rank ", room_->member(rank_), ": the ranks parted before: ", room_->hub().reason()));
}

ReduceTimes SharedRank::finish(SharedLine& line, uint64_t number, double entered) {
  const ActivityScope activity(Activity::exchange);
  const double without_turn = seat_.seconds_without_turn();
  seat_.wait(
      [&] {
        line.progress();
        return line.finished(number);
      },
      [&] { return line.late(number); });
  const auto times = line.times(number);
  const auto mismatch = line.mismatch(number);
  line.let_go(number);
  times_.add(entered, times.all_here, seat_.seconds_without_turn() - without_turn);
  if (!mismatch.empty()) throw InvalidArgument(mismatch);
  return times;
}

void SharedRank::run(Brought brought) {
  check_alive();
  const double entered = steady_seconds();
  finish(in_turn_, in_turn_.start(std::move(brought)), entered);
}

void SharedRank::barrier() { run({.kind = Collective::barrier}); }

void SharedRank::all_reduce(Tensor& tensor, const ReduceOptions& options) {
  check_all_reduce(tensor, "all_reduce");
  run({.kind = Collective::all_reduce, .data = tensor, .result = tensor, .options = options});
}

void SharedRank::reduce_scatter(const Tensor& whole, Tensor& part) {
  check_divided(whole, part, world_size(), "reduce_scatter");
  check_adds_up(whole.scalar_type(), "reduce_scatter");
  run({.kind = Collective::reduce_scatter, .data = whole, .result = part});
}

void SharedRank::all_gather(const Tensor& part, Tensor& whole) {
  check_divided(whole, part, world_size(), "all_gather");
  run({.kind = Collective::all_gather, .data = part, .result = whole});
}

void SharedRank::broadcast(Tensor& tensor, int64_t root) {
  check_dense(tensor, "broadcast");
  check_root(root, world_size());
  run({.kind = Collective::broadcast, .data = tensor, .result = tensor, .root = root});
}

Pending SharedRank::broadcast_async(Tensor& tensor, int64_t root) {
  check_dense(tensor, "broadcast_async");
  check_root(root, world_size());
  return start({.kind = Collective::broadcast, .data = tensor, .result = tensor, .root = root});
}

Pending SharedRank::all_reduce_async(Tensor& tensor, const ReduceOptions& options) {
  check_all_reduce(tensor, "all_reduce_async");
  return start({.kind = Collective::all_reduce, .data = tensor, .result = tensor, .options = options});
}

Pending SharedRank::start(Brought brought) {
  check_alive();
  const auto ticket = in_progress_.start(std::move(brought));
  advance(ticket);
  return Pending(*this, ticket);
}

bool SharedRank::advance(uint64_t ticket) {
  if (room_->hub().failed()) return true;  // wait throws
  const double entered = steady_seconds();
  in_progress_.progress();
  times_.add_moving(entered);
  return in_progress_.finished(ticket);
}

ReduceTimes SharedRank::wait(uint64_t ticket) { return finish(in_progress_, ticket, steady_seconds()); }

void SharedRank::send(const Tensor& tensor, int64_t to, int64_t tag) {
  check_dense(tensor, "send");
  check_peer(to, rank_, world_size(), "send");
  check_alive();
  const ActivityScope activity(Activity::exchange);
  const double entered = steady_seconds(), without_turn = seat_.seconds_without_turn();
  mailbox_.begin_send(to, tag, tensor);
  if (!mailbox_.push()) {
    seat_.wait([&] { return mailbox_.push(); },
               [&] { return c10::str("send of message with tag ", tag, " for rank ", room_->member(to)); });
  }
  messages_sent_ += static_cast<int64_t>(tensor.nbytes());
  times_.add(entered, entered, seat_.seconds_without_turn() - without_turn);
}

void SharedRank::recv(Tensor& tensor, int64_t from, int64_t tag) {
  check_dense(tensor, "recv");
  check_peer(from, rank_, world_size(), "recv");
  check_alive();
  const ActivityScope activity(Activity::exchange);
  const double entered = steady_seconds(), without_turn = seat_.seconds_without_turn();
  mailbox_.begin_recv(from, tag, tensor);
  if (!mailbox_.take()) {
    seat_.wait([&] { return mailbox_.take(); },
               [&] { return c10::str("recv of message with tag ", tag, " for rank ", room_->member(from)); });
  }
  times_.add(entered, steady_seconds(), seat_.seconds_without_turn() - without_turn);
  if (!mailbox_.mismatch().empty()) throw InvalidArgument(c10::str("recv on rank ", rank_, ": ", mailbox_.mismatch()));
}

std::unique_ptr<Communicator> SharedRank::subgroup(const std::vector<int64_t>& ranks) {
  const auto n = static_cast<int64_t>(ranks.size());
  std::vector<int64_t> members;
  for (const auto r : ranks) {
    if (r < 0 || r >= world_size() || std::count(ranks.begin(), ranks.end(), r) > 1)
      throw InvalidArgument(
          c10::str("subgroup: must get different ranks in [0, ", world_size(), "), got ", c10::Join(", ", ranks)));
    members.push_back(room_->member(r));
  }
  const auto place = std::find(ranks.begin(), ranks.end(), rank_) - ranks.begin();
  if (place == n) throw InvalidArgument(c10::str("subgroup: must hold rank ", rank_, ", got ", c10::Join(", ", ranks)));
  // The first makes the memory and keeps it until all have it.
  Tensor address = at::zeros({static_cast<int64_t>(kLongestAddress)}, at::kByte), here = at::zeros({1}, at::kByte);
  auto* text = static_cast<char*>(address.mutable_data_ptr());
  if (place > 0) recv(address, ranks.front(), kSubgroupTag);
  auto memory = place == 0 ? SharedMemory::make(SharedRoom::bytes(n)) : SharedMemory::open(text);
  if (place == 0) {
    const auto own = memory.address();
    if (own.size() >= kLongestAddress) throw InternalError(c10::str("address ", own, " is too long"));
    std::memcpy(text, own.data(), own.size());
    for (int64_t i = 1; i < n; ++i) send(address, ranks[static_cast<std::size_t>(i)], kSubgroupTag);
    for (int64_t i = 1; i < n; ++i) recv(here, ranks[static_cast<std::size_t>(i)], kSubgroupTag);
  } else {
    send(here, ranks.front(), kSubgroupTag);
  }
  return std::make_unique<SharedRank>(
      std::make_shared<SharedRoom>(room_->shared_hub(), std::move(memory), std::move(members)), place);
}

int64_t SharedRank::bytes_sent() const { return in_turn_.bytes_sent() + in_progress_.bytes_sent() + messages_sent_; }

}  // namespace tandem::comm
