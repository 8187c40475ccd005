#pragma once
#include <cstdint>
#include <vector>

#include "tandem/optimizers/clipping.h"

namespace tandem::distribute {

/// Elements [begin, end) of a flat buffer, which rank `owner` has.
struct ShardPiece {
  int64_t begin = 0, end = 0;
  int64_t owner = 0;

  int64_t size() const { return end - begin; }
};

/// How the flat buffer of a model's weights is divided over ranks: each has a part, its shard, all equally long and one
/// after the other, wherever weights begin and end. As the partitions of ZeRO (Rajbhandari et al. 2020).
class ShardLayout {
 public:
  /// `places`: the weights in the buffer of `elements`, a multiple of `ranks`. This is rank `rank`'s shard.
  ShardLayout(const std::vector<FlatPlace>& places, int64_t elements, int64_t rank, int64_t ranks);

  int64_t rank() const { return rank_; }
  int64_t ranks() const { return ranks_; }
  /// Elements of a shard, and where this rank's begins in the buffer.
  int64_t size() const { return size_; }
  int64_t begin() const { return rank_ * size_; }
  /// What the ranks have of elements [begin, end), in order.
  std::vector<ShardPiece> pieces(int64_t begin, int64_t end) const;
  /// By weight: where its part lies in this rank's shard; nothing of it: {0, 0}.
  const std::vector<FlatPlace>& parts() const { return parts_; }
  /// By weight: its element, in the order of memory, that the part begins with.
  const std::vector<int64_t>& firsts() const { return firsts_; }

 private:
  int64_t rank_, ranks_, size_;
  std::vector<FlatPlace> parts_;
  std::vector<int64_t> firsts_;
};

}  // namespace tandem::distribute
