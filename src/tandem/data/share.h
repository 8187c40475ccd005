#pragma once
#include <cstdint>
#include <vector>

namespace tandem::data {

/// One rank's part of an epoch of a data set that ranks share, by row numbers. Over all ranks, `rows` and `left_out`
/// must add up to `all`.
struct Share {
  std::vector<int64_t> all = {};       // the whole data set, on each rank
  std::vector<int64_t> rows = {};      // served, in this order
  std::vector<int64_t> padding = {};   // served after them although another rank has them, so that all have as many
  std::vector<int64_t> left_out = {};  // of this rank's part, not served in this epoch
};

}  // namespace tandem::data
