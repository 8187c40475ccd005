// Collectives in which each rank takes what it needs out of the others' tensors and returns when all have done so; of
// small tensors it takes a staged copy, and nobody waits for that.
#include <ATen/Parallel.h>

#include <cstring>

#include "tandem/comm/local_steps.h"
#include "tandem/comm/sum_tree.h"

namespace tandem::comm {
namespace {

constexpr int64_t kGrainBytes = 1 << 20;  // what is worth a thread of its own

void copy_bytes(void* to, const void* from, int64_t bytes) {
  if (to == from) return;
  at::parallel_for(0, bytes, kGrainBytes, [&](int64_t begin, int64_t end) {
    std::memcpy(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin,
                static_cast<std::size_t>(end - begin));
  });
}

// Calls `take` once, and is true when all ranks have taken. A rank whose memory nobody needs returns at once.
template <class Take>
bool take_once(LocalOperation& operation, bool must_stay, Take take) {
  if (operation.step() == 0) {
    const LocalWork work(operation.seat());
    if (!work.allowed()) return false;
    take();
    operation.reach(1);
    if (operation.slot().reduced.fetch_add(1, std::memory_order_acq_rel) + 1 == operation.target())
      operation.room().ring_others(operation.rank());
  }
  return !must_stay || operation.slot().reduced.load(std::memory_order_acquire) == operation.target();
}

bool advance_broadcast(LocalOperation& operation, bool) {
  const bool is_root = operation.rank() == operation.root();
  return take_once(operation, is_root, [&] {
    if (!is_root)
      copy_bytes(operation.mine().result, operation.entry(operation.root()).data, operation.bytes_brought());
  });
}

int64_t broadcast_bytes(const LocalOperation& operation) {
  return operation.rank() == operation.root() ? (operation.ranks() - 1) * operation.bytes_brought() : 0;
}

bool advance_gather(LocalOperation& operation, bool) {
  return take_once(operation, true, [&] {
    const int64_t bytes = operation.bytes_brought();
    auto* whole = static_cast<std::byte*>(operation.mine().result);
    for (int64_t r = 0; r < operation.ranks(); ++r) copy_bytes(whole + r * bytes, operation.entry(r).data, bytes);
  });
}

int64_t gather_bytes(const LocalOperation& operation) { return (operation.ranks() - 1) * operation.bytes_brought(); }

bool advance_scatter(LocalOperation& operation, bool) {
  return take_once(operation, true, [&] {
    const int64_t n = operation.ranks(), part = operation.mine().count / n, width = operation.width();
    operation.addends.clear();
    for (const auto& entry : operation.slot().entries)
      operation.addends.push_back(static_cast<const std::byte*>(entry.data) + operation.rank() * part * width);
    at::parallel_for(0, part, kGrainBytes / width, [&](int64_t begin, int64_t end) {
      sum_along_tree(operation.mine().type, operation.addends.data(), n, &operation.mine().result, 1, {begin, end});
    });
  });
}

bool advance_staged_gather(LocalOperation& operation, bool) {
  const int64_t bytes = operation.bytes_brought();
  auto* whole = static_cast<std::byte*>(operation.mine().result);
  for (int64_t r = 0; r < operation.ranks(); ++r) copy_bytes(whole + r * bytes, operation.entry(r).staged, bytes);
  return true;
}

bool advance_staged_broadcast(LocalOperation& operation, bool) {
  if (operation.rank() != operation.root())
    copy_bytes(operation.mine().result, operation.entry(operation.root()).staged, operation.bytes_brought());
  return true;
}

int64_t scatter_bytes(const LocalOperation& operation) {
  return operation.bytes_brought() / operation.ranks() * (operation.ranks() - 1);
}

}  // namespace

const LocalSteps kBroadcast = {advance_broadcast, broadcast_bytes, true};
const LocalSteps kAllGather = {advance_gather, gather_bytes, true};
const LocalSteps kStagedBroadcast = {advance_staged_broadcast, broadcast_bytes};
const LocalSteps kStagedGather = {advance_staged_gather, gather_bytes};
const LocalSteps kReduceScatter = {advance_scatter, scatter_bytes, true};

}  // namespace tandem::comm
