#pragma once
#include <cstdint>
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem {

/// Puts the outputs of batches one below the other.
class RowCollector {
 public:
  /// `rows` of all batches together, or more; negative: not known. Known rows are written to their place at once.
  explicit RowCollector(int64_t rows) : rows_(rows) {}

  /// Throws InvalidArgument where an output's rows have other sizes than in the first batch.
  void add(const Tensors& outputs);
  /// By output. Ends the collecting.
  Tensors all();

 private:
  const int64_t rows_;
  int64_t done_ = 0;
  Tensors whole_;                           // with known rows
  std::vector<std::vector<Tensor>> parts_;  // else, by output
};

}  // namespace tandem
