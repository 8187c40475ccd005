#include "tandem/servers/gathered_round.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "tandem/comm/sum_tree.h"

namespace tandem::servers {

GatheredRound::GatheredRound(Task task)
    : AverageRound(std::move(task)),
      spans_(pieces_of({0, task_.values.numel()})),
      pieces_(spans_.size(), Piece{.parts = std::vector<Tensor>(members())}),
      without_(members()),
      left_(spans_.size()) {
  const auto own = place_of(task_.own);
  for (std::size_t p = 0; p < spans_.size(); ++p) pieces_[p].parts[own] = part(task_.values, spans_[p]);
}

void GatheredRound::begin() {
  for (std::size_t p = 0; p < spans_.size(); ++p) {
    for (const auto to : task_.members) {
      if (to != task_.own) task_.send(to, {0, spans_[p].begin, part(task_.values, spans_[p])});
    }
    add_up_if_there(p);
  }
}

void GatheredRound::hear(int64_t from, const AverageSlice& slice) {
  const auto piece = piece_at(spans_, slice);
  auto& place = pieces_[piece].parts[place_of(from)];
  if (pieces_[piece].done || place.defined()) return;
  place = slice.values;
  add_up_if_there(piece);
}

void GatheredRound::without(int64_t server) {
  without_[place_of(server)] = true;
  for (std::size_t p = 0; p < pieces_.size(); ++p) add_up_if_there(p);
}

void GatheredRound::add_up_if_there(std::size_t p) {
  auto& piece = pieces_[p];
  if (piece.done) return;
  std::vector<const void*> addends;
  for (std::size_t m = 0; m < members(); ++m) {
    if (piece.parts[m].defined()) {
      addends.push_back(piece.parts[m].const_data_ptr());
    } else if (!without_[m]) {
      return;
    }
  }
  Tensor sum = part(task_.result, spans_[p]);
  void* to = sum.mutable_data_ptr();
  comm::sum_along_tree(at::kFloat, addends.data(), static_cast<int64_t>(addends.size()), &to, 1, {0, sum.numel()});
  sum.div_(static_cast<double>(addends.size()));
  piece.done = true;
  piece.parts.assign(members(), {});
  --left_;
}

std::vector<int64_t> GatheredRound::missing() const {
  std::vector<int64_t> servers;
  for (std::size_t m = 0; m < members(); ++m) {
    const bool misses = !without_[m] && std::any_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
      return !piece.done && !piece.parts[m].defined();
    });
    if (misses) servers.push_back(task_.members[m]);
  }
  return servers;
}

}  // namespace tandem::servers
