#include "tandem/data/chain.h"

#include <cstddef>
#include <utility>

#include "tandem/data/random_flip.h"
#include "tandem/data/random_shift.h"

namespace tandem::data {
namespace {

std::vector<RandomStream> fold_all(std::span<const RandomStream> rows, std::size_t place) {
  std::vector<RandomStream> folded;
  folded.reserve(rows.size());
  for (const RandomStream& row : rows) folded.push_back(row.fold(place));
  return folded;
}

}  // namespace

Batch apply_chain(const std::vector<TransformHandle>& transforms, Batch batch, std::span<const RandomStream> rows) {
  for (std::size_t i = 0; i < transforms.size(); ++i) {
    const auto streams = fold_all(rows, i);
    const auto* shift = dynamic_cast<const RandomShiftTransform*>(&*transforms[i]);
    const bool is_last = i + 1 == transforms.size();
    const auto* flip = shift && !is_last ? dynamic_cast<const RandomFlipTransform*>(&*transforms[i + 1]) : nullptr;
    if (flip && !flip->is_vertical()) {
      batch = shift->apply(std::move(batch), streams, flip->mirrored(fold_all(rows, ++i)));
    } else {
      batch = transforms[i]->apply(std::move(batch), streams);
    }
  }
  return batch;
}

}  // namespace tandem::data
