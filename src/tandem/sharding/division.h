#pragma once
#include <cstdint>

#include "tandem/core/tensor.h"

namespace tandem::sharding {

/// A rank of a tensor group.
struct Place {
  int64_t rank = 0, ranks = 1;
};

/// How the ranks of a tensor group have an axis of blocks x size elements between them: of each of the blocks, one
/// after the other, every rank has the same part, the first ranks one element more where size is not a multiple of
/// them. Several blocks are a flattened image's pixels, or the gates of an LSTM.
struct Division {
  int64_t blocks = 0;  // 0: every rank has it whole
  int64_t size = 0;

  bool whole() const { return blocks == 0; }
  bool operator==(const Division&) const = default;
  /// Of a block, where `place`'s part begins and how many elements it has.
  int64_t begin(const Place& place) const;
  int64_t count(const Place& place) const;
  /// Elements along the axis, of all ranks and of one.
  int64_t length() const { return blocks * size; }
  int64_t own_length(const Place& place) const { return blocks * count(place); }
};

/// The part of `whole` that `place` has: divided along `axis`, which may count from the end. A view where there is one
/// block, else a copy; `whole` itself where it is not divided.
Tensor part_of(const Tensor& whole, int64_t axis, const Division& division, const Place& place);
/// Writes that part.
void put_part(const Tensor& whole, int64_t axis, const Division& division, const Place& place, const Tensor& part);

}  // namespace tandem::sharding
