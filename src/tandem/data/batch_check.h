#pragma once
#include <optional>

#include "tandem/data/batch.h"

namespace tandem::data {

/// Holds the batches that a program's own function gives to what the first one was like.
class BatchCheck {
 public:
  /// Throws DataError unless `batch` has inputs, all tensors lie on the CPU with as many rows, at least one, and
  /// inputs, targets and weights are as many and have as many axes as in the first batch. Weights become float32.
  void check(Batch& batch);

 private:
  std::optional<Batch> first_;  // without rows
};

}  // namespace tandem::data
