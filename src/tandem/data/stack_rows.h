#pragma once
#include <vector>

#include "tandem/data/batch.h"
#include "tandem/data/example.h"

namespace tandem::data {

/// Rows as one batch. Throws DataError, beginning with `where`, unless there are rows and all have the same tensors of
/// the same shapes.
Batch stack_rows(const std::vector<Example>& rows, const char* where);

}  // namespace tandem::data
