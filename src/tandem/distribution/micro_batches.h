#pragma once
#include <cstdint>
#include <vector>

#include "tandem/data/batch.h"

namespace tandem::distribute {

/// The rows of a batch that are here in micro batches as even as they can be, the first ones larger; with fewer rows
/// than micro batches some have none.
class MicroBatches {
 public:
  MicroBatches() = default;
  MicroBatches(const data::Batch& batch, int64_t count);

  int64_t count() const { return static_cast<int64_t>(parts_.size()); }
  int64_t all_rows() const { return all_rows_; }
  int64_t rows(int64_t m) const { return parts_[static_cast<std::size_t>(m)].rows(); }
  /// The number within the whole batch of its first row.
  int64_t first_row(int64_t m) const { return first_[static_cast<std::size_t>(m)]; }
  const data::Batch& operator[](int64_t m) const { return parts_[static_cast<std::size_t>(m)]; }
  /// Its part of all rows, wherever they are.
  double share(int64_t m) const { return static_cast<double>(rows(m)) / static_cast<double>(all_rows_); }

 private:
  int64_t all_rows_ = 0;
  std::vector<data::Batch> parts_;
  std::vector<int64_t> first_;
};

}  // namespace tandem::distribute
