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
  RandomStream random;  // folded by the source row: that row's stream

  int64_t batches() const { return end_batch - first_batch; }
  std::span<const int64_t> rows_of(int64_t batch) const {
    const auto all = std::span(rows);
    const auto begin = static_cast<std::size_t>(batch * batch_size);
    return all.subspan(begin, std::min(static_cast<std::size_t>(batch_size), all.size() - begin));
  }
};

}  // namespace tandem::data
