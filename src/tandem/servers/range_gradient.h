#pragma once
#include <cstdint>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/servers/row_gradient.h"
#include "tandem/servers/server_plan.h"

namespace tandem::servers {

/// Rows of a block of a table that a gradient is for, alone.
struct TouchedRows {
  int64_t begin;     // of the block in the range, in elements
  Tensor rows;       // (n,), int64, rising, counted from the block's first
  int64_t elements;  // of a row
  int64_t place;     // of the values in the gradient's buffer, in elements
  std::size_t weight;
};

/// The gradient of neighbouring blocks of a server's range as an update takes it, in a buffer that is used again.
/// Blocks of weights that move whole lie as in the range. Blocks of tables follow: all rows, or, where an optimizer
/// leaves alone what has no gradient, one touched row after the other, so that a table's size costs nothing.
class RangeGradient {
 public:
  RangeGradient(const ServerPlan& plan, int64_t server, bool touched_alone);

  /// Begins anew, with the first of the blocks, which must be put in their order.
  void begin(int64_t block);
  /// Where the next block's values (n,) are to be written.
  Tensor place(int64_t block);
  void put(int64_t block, const RowGradient& gradient);

  /// Begin of the first block in the range, in elements.
  int64_t offset() const { return offset_; }
  /// All that was put, (m,).
  Tensor values() const { return buffer_.narrow(0, offset_, end_ - offset_); }
  /// Empty: the values lie as in the range.
  const std::vector<TouchedRows>& touched() const { return touched_; }

 private:
  const ServerPlan plan_;
  const int64_t begin_;  // of the range
  const bool touched_alone_;
  Tensor buffer_;  // of the range; pages that are not written to take no memory
  int64_t offset_ = 0, end_ = 0;
  std::vector<TouchedRows> touched_;
};

}  // namespace tandem::servers
