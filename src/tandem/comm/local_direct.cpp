// Each rank adds up one slice of all ranks' tensors and writes the sum into all of them: everything is read once and
// written once, and two waits are enough, for all to come and for all slices. A rank that only waits also adds up
// slices of ranks that are computing or asleep; who adds does not change the sum.
#include <ATen/Parallel.h>

#include "tandem/comm/local_steps.h"
#include "tandem/comm/sum_tree.h"

namespace tandem::comm {
namespace {

constexpr int64_t kChunkBytes = 256 << 10;      // what one thread adds up at a time
constexpr int64_t kParallelBytes = 1024 << 10;  // a slice for which it is worth to wake the rank's other threads

// The chunks of one rank's slice. One at least, so that an empty slice is finished by somebody, too.
struct Chunks {
  Chunks(const LocalOperation& operation, int64_t part)
      : whole(slice(operation.mine().count, operation.ranks(), part)),
        elements(kChunkBytes / operation.width()),
        count(std::max<int64_t>(1, (whole.size() + elements - 1) / elements)) {}
  Span chunk(int64_t c) const {
    return {whole.begin + c * elements, std::min(whole.end, whole.begin + (c + 1) * elements)};
  }
  Span whole;
  int64_t elements;
  int64_t count;
};

void collect_addresses(LocalOperation& operation) {
  operation.addends.clear();
  operation.results.clear();
  for (const auto& entry : operation.slot().entries) {
    operation.addends.push_back(entry.data);
    if (entry.wants_result) operation.results.push_back(entry.result);
  }
}

void add_up_chunks(LocalOperation& operation, int64_t part, const Chunks& chunks) {
  auto& entry = operation.entry(part);
  const auto ranks = static_cast<int64_t>(operation.addends.size());
  const auto results = static_cast<int64_t>(operation.results.size());
  int64_t c;
  while ((c = entry.next_chunk.fetch_add(1, std::memory_order_relaxed)) < chunks.count) {
    sum_along_tree(entry.type, operation.addends.data(), ranks, operation.results.data(), results, chunks.chunk(c));
    if (entry.finished_chunks.fetch_add(1, std::memory_order_acq_rel) + 1 < chunks.count) continue;
    if (operation.slot().reduced.fetch_add(1, std::memory_order_acq_rel) + 1 == operation.target())
      operation.room().ring_others(operation.rank());
  }
}

void add_up_slice(LocalOperation& operation, int64_t part) {
  const Chunks chunks(operation, part);
  if (operation.entry(part).next_chunk.load(std::memory_order_relaxed) >= chunks.count) return;
  const LocalWork work(operation.seat());
  if (!work.allowed()) return;
  const int threads = chunks.whole.size() * operation.width() >= kParallelBytes ? at::get_num_threads() : 1;
  at::parallel_for(0, threads, 1, [&](int64_t first, int64_t last) {
    for (int64_t t = first; t < last; ++t) add_up_chunks(operation, part, chunks);
  });
}

bool advance_direct(LocalOperation& operation, bool help) {
  if (operation.step() == 0) {
    collect_addresses(operation);
    operation.reach(1);
  }
  const int64_t n = operation.ranks();
  for (int64_t k = 0; k < (help ? n : 1); ++k) add_up_slice(operation, (operation.rank() + k) % n);
  return operation.slot().reduced.load(std::memory_order_acquire) == operation.target();
}

// The others take this rank's addends of their slices once, and its sums once for each of them; slices count as added
// up by their rank.
int64_t direct_bytes(const LocalOperation& operation) {
  const int64_t own = slice(operation.mine().count, operation.ranks(), operation.rank()).size();
  int64_t receivers = 0;
  for (int64_t r = 0; r < operation.ranks(); ++r)
    receivers += r != operation.rank() && operation.entry(r).wants_result ? 1 : 0;
  return (operation.mine().count - own + receivers * own) * operation.width();
}

}  // namespace

const LocalSteps kDirectReduce = {advance_direct, direct_bytes, true};

}  // namespace tandem::comm
