#include "tandem/data/chain.h"

#include <cstddef>
#include <utility>

#include "tandem/data/move_transform.h"

namespace tandem::data {
namespace {

// The longest run of moves from `first` on that can be made as one: with one fill at most. Empty unless one has a fill:
// flips alone need no resampling.
std::vector<const MoveTransform*> moves_from(const std::vector<TransformHandle>& transforms, std::size_t first) {
  std::vector<const MoveTransform*> moves;
  const kernels::Fill* fill = nullptr;
  for (; first < transforms.size(); ++first) {
    const auto* move = dynamic_cast<const MoveTransform*>(&*transforms[first]);
    if (!move || (fill && move->fill() && *fill != *move->fill())) break;
    if (move->fill()) fill = move->fill();
    moves.push_back(move);
  }
  return fill ? moves : std::vector<const MoveTransform*>();
}

std::vector<RandomStream> fold_all(std::span<const RandomStream> rows, std::size_t place) {
  std::vector<RandomStream> folded;
  folded.reserve(rows.size());
  for (const RandomStream& row : rows) folded.push_back(row.fold(place));
  return folded;
}

}  // namespace

Batch apply_chain(const std::vector<TransformHandle>& transforms, Batch batch, std::span<const RandomStream> rows) {
  for (std::size_t i = 0; i < transforms.size(); ++i) {
    const auto moves = moves_from(transforms, i);
    if (moves.empty()) {
      batch = transforms[i]->apply(std::move(batch), fold_all(rows, i));
    } else {
      batch = apply_moves(moves, std::move(batch), rows, i);
      i += moves.size() - 1;
    }
  }
  return batch;
}

}  // namespace tandem::data
