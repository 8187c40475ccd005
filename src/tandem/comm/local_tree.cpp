// Recursive doubling (Thakur, Rabenseifner and Gropp 2005). With p the largest power of two that is not more than the
// number of ranks, each of the first n - p even ranks gives its tensor to the odd one after it and gets the sum from it
// in the end; the p others exchange whole tensors with partners 1, 2, 4, ... places away. Since partners share memory,
// each adds up one half of both their tensors and writes it to both.
#include <bit>
#include <cstring>

#include "tandem/comm/local_steps.h"
#include "tandem/comm/sum_tree.h"

namespace tandem::comm {
namespace {

// Steps of a rank: its tensor is ready for level k at 1 + 2k, its half of level k is added up at 2 + 2k.
uint64_t ready_at(int64_t level) { return static_cast<uint64_t>(1 + 2 * level); }
uint64_t half_at(int64_t level) { return static_cast<uint64_t>(2 + 2 * level); }

struct Place {
  explicit Place(const LocalOperation& operation)
      : rank(operation.rank()),
        powers(static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(operation.ranks())))),
        extra(operation.ranks() - powers),
        levels(std::countr_zero(static_cast<uint64_t>(powers))),
        in_pair(rank < 2 * extra),
        gives(in_pair && rank % 2 == 0) {}
  int64_t partner(int64_t level) const {
    const int64_t other = (in_pair ? rank / 2 : rank - extra) ^ (int64_t{1} << level);
    return other < extra ? 2 * other + 1 : other + extra;
  }
  const int64_t rank, powers, extra, levels;
  const bool in_pair, gives;
};

void reach_and_ring(LocalOperation& operation, uint64_t step, int64_t who_waits) {
  operation.reach(step);
  operation.room().seat(who_waits).bell().ring();
}

void add_pair(LocalOperation& operation, int64_t other, bool to_both, Span span) {
  const int64_t low = std::min(operation.rank(), other), high = std::max(operation.rank(), other);
  const void* addends[] = {operation.entry(low).data, operation.entry(high).data};
  void* results[] = {operation.mine().result, operation.entry(other).result};
  sum_along_tree(operation.mine().type, addends, 2, results, to_both ? 2 : 1, span);
}

// A rank that gives has only the sum to take, when its pair has made all levels.
bool advance_giving(LocalOperation& operation, const Place& place) {
  if (!operation.reached(place.rank + 1, ready_at(place.levels))) return false;
  const LocalWork work(operation.seat());
  if (!work.allowed()) return false;
  if (operation.mine().wants_result && operation.mine().count > 0)
    std::memcpy(operation.mine().result, operation.entry(place.rank + 1).data,
                static_cast<std::size_t>(operation.bytes_brought()));
  reach_and_ring(operation, ready_at(place.levels), place.rank + 1);
  return true;
}

// Makes one step; false: its turn has not come.
bool make_tree_step(LocalOperation& operation, const Place& place) {
  const auto step = operation.step();
  const auto level = static_cast<int64_t>(step - 1) / 2;
  const int64_t partner = step == 0 ? -1 : place.partner(level);
  if (step > 0 && !operation.reached(partner, step)) return false;
  const LocalWork work(operation.seat());
  if (!work.allowed()) return false;
  const int64_t count = operation.mine().count;
  if (step == 0) {
    if (place.in_pair) add_pair(operation, place.rank - 1, false, {0, count});
    reach_and_ring(operation, ready_at(0), place.partner(0));
  } else if (step == ready_at(level)) {
    add_pair(operation, partner, true, slice(count, 2, place.rank < partner ? 0 : 1));
    reach_and_ring(operation, half_at(level), partner);
  } else {
    const bool last = level + 1 == place.levels;
    const int64_t next = last ? (place.in_pair ? place.rank - 1 : place.rank) : place.partner(level + 1);
    reach_and_ring(operation, ready_at(level + 1), next);
  }
  return true;
}

bool advance_tree(LocalOperation& operation, bool) {
  const Place place(operation);
  if (place.gives) return operation.step() == ready_at(place.levels) || advance_giving(operation, place);
  while (operation.step() < ready_at(place.levels) && make_tree_step(operation, place)) {
  }
  if (operation.step() < ready_at(place.levels)) return false;
  return !place.in_pair || operation.reached(place.rank - 1, ready_at(place.levels));
}

int64_t tree_bytes(const LocalOperation& operation) {
  const Place place(operation);
  if (place.gives) return operation.bytes_brought();
  const bool gives_back = place.in_pair && operation.entry(place.rank - 1).wants_result;
  return (place.levels + (gives_back ? 1 : 0)) * operation.bytes_brought();
}

}  // namespace

const LocalSteps kTreeReduce = {advance_tree, tree_bytes};

}  // namespace tandem::comm
