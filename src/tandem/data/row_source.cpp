#include "tandem/data/row_source.h"

#include <c10/util/StringUtil.h>

#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/stack_rows.h"

namespace tandem::data {

Batch RowSource::get(std::span<const int64_t> rows) const {
  std::vector<Example> examples;
  examples.reserve(rows.size());
  for (const int64_t i : rows) {
    if (i < 0 || i >= size())
      throw DataError(c10::str("data set: row ", i, " does not exist, it has ", size(), " rows"));
    examples.push_back(row(i));
  }
  return stack_rows(examples, "data set");
}

}  // namespace tandem::data
