#pragma once
#include <cstdint>
#include <vector>

#include "tandem/servers/row_gradient.h"

namespace tandem::servers {

/// One block of a worker's gradient.
struct Push {
  int64_t worker = 0;
  uint64_t id = 0;       // the same for all blocks of a gradient; grows from one to the next, from 1
  int64_t block = 0;     // of the plan's
  int64_t version = 0;   // of the parameters that it was made of: where blocks had several, the oldest
  int64_t rows = 1;      // of its batch
  int64_t all_rows = 0;  // sync: of all workers' batches; 0: unknown
  double rate = -1;      // below 0: the optimizer's own
  double scale = 1;      // what it is to be multiplied with
  Tensor gradient = {};  // (n,), float32, not changed by anybody while it is held
  /// Of a block of a table, (m,), int64: the rows, counted from the block's first, that the gradient (m, elements of a
  /// row) is for.
  Tensor table_rows = {};
};

/// The blocks of a worker's gradient that have come, until they are used.
class PushParts {
 public:
  explicit PushParts(int64_t blocks = 0)
      : gradients_(static_cast<std::size_t>(blocks)), rows_(static_cast<std::size_t>(blocks)) {}

  /// `place`: of the block among these. False: it is there already. Throws DataError when the push's id, version, rows,
  /// rate or scale are not those of the blocks before.
  bool add(std::size_t place, const Push& push);
  bool empty() const { return count_ == 0; }
  bool complete() const { return count_ == gradients_.size(); }
  bool has(std::size_t place) const { return gradients_[place].defined(); }
  /// What all blocks say.
  const Push& push() const { return push_; }
  const std::vector<Tensor>& gradients() const { return gradients_; }
  RowGradient rows(std::size_t place) const { return {rows_[place], gradients_[place]}; }
  void clear();

 private:
  Push push_;
  std::vector<Tensor> gradients_, rows_;
  std::size_t count_ = 0;
};

}  // namespace tandem::servers
