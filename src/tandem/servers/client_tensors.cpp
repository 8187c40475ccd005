#include "tandem/servers/client_tensors.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem::servers {

void check_floats(const Tensor& values, int64_t elements, int64_t axes) {
  if (values.is_cpu() && values.scalar_type() == at::kFloat && values.is_contiguous() && values.dim() == axes &&
      values.numel() == elements)
    return;
  throw InvalidArgument(c10::str("parameter servers: must get a flat float32 buffer of ", elements,
                                 " elements on the CPU, got ", values.scalar_type(), " of ", values.sizes()));
}

void check_flat(const Tensor& flat, const ServerPlan& plan) { check_floats(flat, plan.dense_elements(), 1); }

void check_tables(const std::vector<Tensor>& tables, const ServerPlan& plan) {
  std::size_t i = 0;
  for (const auto& weight : plan.weights) {
    if (!weight.is_table) continue;
    if (i == tables.size()) throw InvalidArgument(c10::str("parameter servers: must get table '", weight.name, "'"));
    check_floats(tables[i], weight.count(), tables[i].dim());
    ++i;
  }
}

void check_rows(std::size_t table, const Tensor& rows, const ServerPlan& plan) {
  if (table >= plan.weights.size() || !plan.weights[table].is_table)
    throw InvalidArgument(c10::str("parameter servers: weight ", table, " must be a table"));
  if (rows.scalar_type() != at::kLong || rows.dim() != 1 || !rows.is_contiguous())
    throw InvalidArgument("parameter servers: rows must be int64 (n,)");
  const auto* values = rows.const_data_ptr<int64_t>();
  for (int64_t i = 0; i < rows.numel(); ++i) {
    if (values[i] >= (i == 0 ? 0 : values[i - 1] + 1) && values[i] < plan.weights[table].shape[0]) continue;
    throw InvalidArgument(c10::str("parameter servers: rows of table '", plan.weights[table].name,
                                   "' must rise from 0 to at most ", plan.weights[table].shape[0] - 1, ", got ",
                                   values[i]));
  }
}

std::pair<int64_t, int64_t> blocks_of(std::size_t table, const ServerPlan& plan) {
  const auto& edges = plan.block_edges;
  const auto& weight = plan.weights[table];
  const auto first = std::lower_bound(edges.begin(), edges.end(), weight.offset);
  return {first - edges.begin(), std::lower_bound(first, edges.end(), weight.offset + weight.count()) - edges.begin()};
}

Tensor table_part(const Tensor& values, std::size_t table, int64_t block, const ServerPlan& plan) {
  const int64_t begin = plan.block_begin(block) - plan.weights[table].offset;
  return values.view({-1}).narrow(0, begin, plan.block_elements(block));
}

}  // namespace tandem::servers
