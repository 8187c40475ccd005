#pragma once
#include <cstdint>
#include <span>

#include "tandem/data/source.h"

namespace tandem::data {

/// Rows of tensors in memory, the rows on the first axis of each.
class TensorSource : public Source {
 public:
  /// Tensors that are not contiguous are copied once. Throws InvalidArgument, naming the tensor, when row counts
  /// differ, a tensor has no row axis or is not on the CPU; DataError when there are no rows.
  explicit TensorSource(Batch tensors);

  int64_t size() const override { return tensors_.rows(); }
  /// New tensors, filled row by row with memcpy.
  Batch get(std::span<const int64_t> rows) const override;
  Batch all() const override { return tensors_; }

 private:
  Batch tensors_;
};

}  // namespace tandem::data
