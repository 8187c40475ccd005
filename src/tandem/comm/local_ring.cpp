// Ring all-reduce (Patarasuk and Yuan 2009): in n - 1 steps each rank adds its left neighbour's sum of a slice to its
// own, after which it holds the whole sum of one slice; in n - 1 more steps the sums go around.
#include <cstring>

#include "tandem/comm/local_steps.h"
#include "tandem/comm/sum_tree.h"

namespace tandem::comm {
namespace {

int64_t around(int64_t rank, int64_t n) { return ((rank % n) + n) % n; }

// Step t of 2 (n - 1). The left neighbour has made t steps, and overwrites nothing of what this one reads before this
// one has gone on: the sum of a slice comes back to a rank only through its right neighbour.
void make_ring_step(LocalOperation& operation, int64_t t) {
  const int64_t n = operation.ranks(), rank = operation.rank(), width = operation.width();
  const bool adding = t < n - 1;
  const int64_t part = around(adding ? rank - 1 - t : rank - (t - (n - 1)), n);
  const Span span = slice(operation.mine().count, n, part);
  if (span.size() == 0) return;
  const void* left = operation.entry(around(rank - 1, n)).data;
  void* own = operation.mine().result;
  if (adding) {
    const void* addends[] = {own, left};
    sum_along_tree(operation.mine().type, addends, 2, &own, 1, span);
  } else {
    std::memcpy(static_cast<std::byte*>(own) + span.begin * width,
                static_cast<const std::byte*>(left) + span.begin * width,
                static_cast<std::size_t>(span.size() * width));
  }
}

bool advance_ring(LocalOperation& operation, bool) {
  const int64_t n = operation.ranks(), steps = 2 * (n - 1);
  const int64_t left = around(operation.rank() - 1, n), right = around(operation.rank() + 1, n);
  while (static_cast<int64_t>(operation.step()) < steps && operation.reached(left, operation.step())) {
    const LocalWork work(operation.seat());
    if (!work.allowed()) return false;
    make_ring_step(operation, static_cast<int64_t>(operation.step()));
    operation.reach(operation.step() + 1);
    operation.room().seat(right).bell().ring();
    if (static_cast<int64_t>(operation.step()) == steps) operation.room().seat(left).bell().ring();
  }
  return static_cast<int64_t>(operation.step()) == steps && operation.reached(right, static_cast<uint64_t>(steps));
}

// The right neighbour takes all slices but its own right one's on the way of the sums, and all but one on the way back.
int64_t ring_bytes(const LocalOperation& operation) {
  const int64_t n = operation.ranks(), count = operation.mine().count;
  const int64_t not_added = slice(count, n, around(operation.rank() + 1, n)).size();
  const int64_t not_copied = slice(count, n, around(operation.rank() + 2, n)).size();
  return (2 * count - not_added - not_copied) * operation.width();
}

}  // namespace

const LocalSteps kRingReduce = {advance_ring, ring_bytes};

}  // namespace tandem::comm
