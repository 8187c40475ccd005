#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/core/random.h"

namespace tandem::data {

/// One epoch laid out: which source rows each batch holds, and what its random numbers are keyed by.
struct EpochPlan {
  int64_t epoch = 0;
  std::vector<int64_t> rows;  // source rows in the order served
  int64_t batch_size = 1;
  int64_t first_batch = 0;  // batches [first_batch, end_batch) are served
  int64_t end_batch = 0;
  // Where batches begin in `rows`, and each batch's rows by device, where they are not simply batch_size rows a batch
  // (PerDevice); else empty.
  std::vector<int64_t> edges;
  std::vector<std::vector<int64_t>> divisions;
  RandomStream random;  // folded by the source row: that row's stream

  int64_t batches() const { return end_batch - first_batch; }
  std::span<const int64_t> rows_of(int64_t batch) const {
    const auto all = std::span(rows);
    if (!edges.empty()) {
      const auto b = static_cast<std::size_t>(batch);
      return all.subspan(static_cast<std::size_t>(edges[b]), static_cast<std::size_t>(edges[b + 1] - edges[b]));
    }
    const auto begin = static_cast<std::size_t>(batch * batch_size);
    return all.subspan(begin, std::min(static_cast<std::size_t>(batch_size), all.size() - begin));
  }
};

}  // namespace tandem::data
