// Messages from one rank to another.
#include <c10/util/StringUtil.h>

#include "tandem/comm/check_tensors.h"
#include "tandem/comm/local_rank.h"
#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {

void LocalRank::send(const Tensor& tensor, int64_t to, int64_t tag) {
  check_dense(tensor, "send");
  check_peer(to, rank_, world_size(), "send");
  check_alive();
  const double entered = steady_seconds(), without_turn = seat_.seconds_without_turn();
  double room_there = entered;
  auto& mailbox = room_->mailboxes[static_cast<std::size_t>(to)];
  const auto put = [&] { return mailbox.put(seat_, rank_, tag, tensor); };
  if (!put()) {
    seat_.wait(put, [&] { return c10::str("send of message with tag ", tag, " for rank ", room_->seat(to).rank()); });
    room_there = steady_seconds();
  }
  room_->seat(to).bell().ring();
  bytes_sent_ += static_cast<int64_t>(tensor.nbytes());
  times_.add(entered, room_there, seat_.seconds_without_turn() - without_turn);
}

void LocalRank::recv(Tensor& tensor, int64_t from, int64_t tag) {
  check_dense(tensor, "recv");
  check_peer(from, rank_, world_size(), "recv");
  check_alive();
  const double entered = steady_seconds(), without_turn = seat_.seconds_without_turn();
  double came = entered;
  auto& mailbox = room_->mailboxes[static_cast<std::size_t>(rank_)];
  const LocalMailbox::Opening opening(mailbox, from, tag, tensor);
  if (!mailbox.take()) {
    seat_.wait([&] { return mailbox.take(); },
               [&] { return c10::str("recv of message with tag ", tag, " for rank ", room_->seat(from).rank()); });
    came = steady_seconds();
  }
  room_->seat(from).bell().ring();
  times_.add(entered, came, seat_.seconds_without_turn() - without_turn);
  if (!mailbox.mismatch().empty()) throw InvalidArgument(c10::str("recv on rank ", rank_, ": ", mailbox.mismatch()));
}

}  // namespace tandem::comm
