#pragma once
#include <cstdint>
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem::data {

/// Rows that belong together: inputs, targets and optional weights, each with the rows on its first axis.
struct Batch {
  Tensors x;
  Tensors y;  // empty: data without targets
  /// Sample weights: empty, or one tensor for all outputs, or one an output, of which some may be undefined; what has
  /// none weighs 1. (rows), or (rows, steps, ...) by step, float32.
  Tensors weights = {};
  /// Rows of each device, where the data says which device gets what (PerDevice); empty: they are divided evenly.
  std::vector<int64_t> division = {};

  int64_t rows() const { return x.empty() ? 0 : x.front().size(0); }
  /// True where something weighs other than 1.
  bool weighted() const;
  /// The weights of output `output`; undefined: 1 each.
  Tensor weights_of(int64_t output) const;
  /// Rows [begin, end) as views.
  Batch slice(int64_t begin, int64_t end) const;
};

}  // namespace tandem::data
