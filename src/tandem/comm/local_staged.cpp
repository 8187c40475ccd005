// All-reduce of small tensors. Each rank leaves a copy of its addends in the slot, so all that it waits for is that the
// others come: nobody looks at its tensor. Every rank makes the sum, along the same tree as for large tensors.
#include "tandem/comm/local_steps.h"
#include "tandem/comm/sum_tree.h"

namespace tandem::comm {
namespace {

bool reduce_staged(LocalOperation& operation, bool) {
  auto& own = operation.mine();
  if (!own.wants_result) return true;
  operation.addends.clear();
  for (const auto& entry : operation.slot().entries) operation.addends.push_back(entry.staged);
  sum_along_tree(own.type, operation.addends.data(), operation.ranks(), &own.result, 1, {0, own.count});
  return true;
}

int64_t staged_reduce_bytes(const LocalOperation& operation) {
  int64_t receivers = 0;
  for (int64_t r = 0; r < operation.ranks(); ++r)
    receivers += r != operation.rank() && operation.entry(r).wants_result ? 1 : 0;
  return receivers * operation.bytes_brought();
}

}  // namespace

const LocalSteps kStagedReduce = {reduce_staged, staged_reduce_bytes};

}  // namespace tandem::comm
