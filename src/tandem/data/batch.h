#pragma once
#include <cstdint>
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem::data {

/// Rows that belong together: inputs, targets and optional weights, each with the rows on its first axis.
struct Batch {
  Tensors x;
  Tensors y;       // empty: data without targets
  Tensor weights;  // (rows), or (rows, steps, ...) by step, float32; undefined: 1 each
  /// Rows of each device, where the data says which device gets what (PerDevice); empty: they are divided evenly.
  std::vector<int64_t> division = {};

  int64_t rows() const { return x.empty() ? 0 : x.front().size(0); }
  /// Rows [begin, end) as views.
  Batch slice(int64_t begin, int64_t end) const;
};

}  // namespace tandem::data
