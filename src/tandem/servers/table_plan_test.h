#pragma once
#include "tandem/servers/plan_test.h"
#include "tandem/servers/push_parts.h"

namespace tandem::servers {

/// A plan with two tables, of 23 rows of 3 and of 18 rows of 5, in blocks of at most 80 bytes, behind two weights.
ServerPlan table_plan(const std::string& optimizer, const Config& config, ServerPlan wishes, int64_t servers);

/// Optimizers that leave rows without a gradient alone, and others.
std::vector<std::pair<std::string, Config>> table_rules();

/// One flat gradient a worker; of the tables a few rows, which differ, are not zero. The last of several workers has
/// none.
std::vector<Tensor> some_table_gradients(const ServerPlan& plan, int64_t workers, int64_t step);

/// A table's rows in a flat gradient that are not zero.
RowGradient rows_in(const ServerPlan& plan, std::size_t table, const Tensor& gradient);

/// A block's part of a flat gradient as it is pushed.
Push push_of(const ServerPlan& plan, int64_t block, int64_t worker, uint64_t id, int64_t version,
             const Tensor& gradient, int64_t rows);

}  // namespace tandem::servers
