#include "tandem/servers/ring_round.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::servers {

RingRound::RingRound(Task task)
    : AverageRound(std::move(task)),
      place_(place_of(task_.own)),
      next_(task_.members[(place_ + 1) % members()]),
      before_(task_.members[(place_ + members() - 1) % members()]) {
  const auto count = static_cast<int64_t>(members());
  for (int64_t p = 0; p < count; ++p) parts_.push_back(pieces_of(comm::slice(task_.values.numel(), count, p)));
  for (int64_t step = 0; step < steps(); ++step) {
    heard_.emplace_back(parts_[part_in(step)].size());
    left_ += heard_.back().size();
  }
}

std::size_t RingRound::part_in(int64_t step) const {
  return (place_ + 2 * members() - 1 - static_cast<std::size_t>(step)) % members();
}

void RingRound::begin() {
  if (members() == 1 && !task_.result.is_same(task_.values)) task_.result.copy_(task_.values);
  if (members() == 1) return;
  for (const auto& piece : parts_[place_]) task_.send(next_, {0, piece.begin, part(task_.values, piece)});
}

void RingRound::hear(int64_t from, const AverageSlice& slice) {
  if (from != before_ || slice.step < 0 || slice.step >= steps())
    throw DataError(c10::str("slice of server ", from, " in step ", slice.step, ": must be of server ", before_,
                             " in one of ", steps(), " steps"));
  const auto& pieces = parts_[part_in(slice.step)];
  const auto p = piece_at(pieces, slice);
  auto heard = heard_[static_cast<std::size_t>(slice.step)][p];
  if (heard) return;
  heard = true;
  const auto last_sum = static_cast<int64_t>(members()) - 2;
  Tensor values = slice.values;
  if (slice.step <= last_sum) values = values.add(part(task_.values, pieces[p]));
  if (slice.step == last_sum) values.div_(static_cast<double>(members()));
  if (slice.step >= last_sum) part(task_.result, pieces[p]).copy_(values);
  if (slice.step + 1 < steps()) task_.send(next_, {slice.step + 1, slice.begin, values});
  --left_;
}

void RingRound::without(int64_t server) {
  throw PeerError(c10::str("server ", server, " is lost, and a ring needs all"));
}

std::vector<int64_t> RingRound::missing() const {
  return complete() ? std::vector<int64_t>() : std::vector<int64_t>{before_};
}

}  // namespace tandem::servers
