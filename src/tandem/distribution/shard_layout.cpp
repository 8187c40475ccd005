#include "tandem/distribution/shard_layout.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem::distribute {

ShardLayout::ShardLayout(const std::vector<FlatPlace>& places, int64_t elements, int64_t rank, int64_t ranks)
    : rank_(rank), ranks_(ranks), size_(elements / ranks), parts_(places.size()), firsts_(places.size()) {
  if (size_ * ranks != elements)
    throw InternalError(c10::str("shards: ", elements, " elements must divide into ", ranks, " equal parts"));
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& place = places[i];
    const int64_t first = std::max(place.offset, begin());
    const int64_t last = std::min(place.offset + place.count, begin() + size_);
    if (first >= last) continue;
    parts_[i] = {first - begin(), last - first};
    firsts_[i] = first - place.offset;
  }
}

std::vector<ShardPiece> ShardLayout::pieces(int64_t begin, int64_t end) const {
  std::vector<ShardPiece> pieces;
  while (begin < end) {
    const int64_t owner = begin / size_;
    const int64_t next = std::min(end, (owner + 1) * size_);
    pieces.push_back({begin, next, owner});
    begin = next;
  }
  return pieces;
}

}  // namespace tandem::distribute
