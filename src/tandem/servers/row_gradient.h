#pragma once
#include <cstdint>
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem::servers {

/// The gradient of a table, of the rows that have one: those of the others are zero.
struct RowGradient {
  Tensor rows = {};    // (n,), int64, rising
  Tensor values = {};  // (n, elements of a row), float32, contiguous

  int64_t count() const { return rows.numel(); }
  /// Of rows [begin, end) of the table, counted from `begin`; shares the values.
  RowGradient part(int64_t begin, int64_t end) const;
};

/// The sum; rows that only one has are copied.
RowGradient add(const RowGradient& a, const RowGradient& b);
/// The sum in the order of comm::sum_along_tree: to the bit what that gives with zeros in place of missing rows.
RowGradient sum_along_tree(const std::vector<RowGradient>& addends);
/// Writes it out to `all` (rows x elements of a row,), zeros included.
void write_all_rows(const RowGradient& gradient, Tensor all);

}  // namespace tandem::servers
