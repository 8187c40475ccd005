#include "tandem/sharding/division.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace tandem::sharding {
namespace {

// (..., blocks, count, ...) in the memory of `whole`.
Tensor view_of_part(const Tensor& whole, int64_t axis, const Division& division, const Place& place) {
  return whole.unflatten(axis, {division.blocks, division.size})
      .narrow(axis + 1, division.begin(place), division.count(place));
}

}  // namespace

int64_t Division::begin(const Place& place) const {
  return place.rank * (size / place.ranks) + std::min(place.rank, size % place.ranks);
}

int64_t Division::count(const Place& place) const {
  return size / place.ranks + (place.rank < size % place.ranks ? 1 : 0);
}

Tensor part_of(const Tensor& whole, int64_t axis, const Division& division, const Place& place) {
  if (division.whole()) return whole;
  const int64_t from_front = axis < 0 ? axis + whole.dim() : axis;
  return view_of_part(whole, from_front, division, place).flatten(from_front, from_front + 1);
}

void put_part(const Tensor& whole, int64_t axis, const Division& division, const Place& place, const Tensor& part) {
  if (division.whole()) {
    whole.copy_(part);
    return;
  }
  const int64_t from_front = axis < 0 ? axis + whole.dim() : axis;
  view_of_part(whole, from_front, division, place)
      .copy_(part.unflatten(from_front, {division.blocks, division.count(place)}));
}

}  // namespace tandem::sharding
