#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/servers/row_gradient.h"
#include "tandem/servers/server_plan.h"

namespace tandem::servers {

// What a worker brings, checked against the plan, and where it lies in the plan's blocks. Each check throws
// InvalidArgument.

/// float32, contiguous, on the CPU, of so many elements and axes.
void check_floats(const Tensor& values, int64_t elements, int64_t axes);
/// A flat buffer of all that is in no table; also that there is a plan yet.
void check_flat(const Tensor& flat, const ServerPlan& plan);
/// All tables, in the plan's order.
void check_tables(const std::vector<Tensor>& tables, const ServerPlan& plan);
/// That `table` is the number of one and `rows`, int64 (n,), rise within it.
void check_rows(std::size_t table, const Tensor& rows, const ServerPlan& plan);

/// The first block of a table, and the one behind its last.
std::pair<int64_t, int64_t> blocks_of(std::size_t table, const ServerPlan& plan);
/// The part of a table's values that is in a block, flat; shares their memory.
Tensor table_part(const Tensor& values, std::size_t table, int64_t block, const ServerPlan& plan);

/// Calls take(block, part) for each block of the table, also where it has none of the rows.
template <class Take>
void for_each_part(std::size_t table, const RowGradient& all, const ServerPlan& plan, const Take& take) {
  const auto& weight = plan.weights[table];
  const auto [first, last] = blocks_of(table, plan);
  for (int64_t block = first; block < last; ++block) {
    const int64_t begin = (plan.block_begin(block) - weight.offset) / weight.row();
    take(block, all.part(begin, begin + plan.block_rows(block)));
  }
}

}  // namespace tandem::servers
