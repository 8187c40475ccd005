#pragma once
#include <cstdint>
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem::servers {

/// Copies of blocks of parameters as they are handed out: all that get the same version share one, and memory is used
/// again when nobody holds a tensor of it any more, be it on other threads.
class SharedBlocks {
 public:
  /// `largest`: elements of the largest block.
  SharedBlocks(int64_t blocks, int64_t largest) : largest_(largest), current_(static_cast<std::size_t>(blocks)) {}

  /// The block's copy: of its last version, or a new one of `values` (n,).
  const Tensor& copy_of(int64_t block, const Tensor& values);
  /// To be called when the block has changed.
  void forget(int64_t block) { current_[static_cast<std::size_t>(block)].reset(); }
  /// Buffers made so far.
  int64_t buffers() const { return static_cast<int64_t>(buffers_.size()); }

 private:
  Tensor free_buffer();

  int64_t largest_;
  std::vector<Tensor> current_;
  std::vector<Tensor> buffers_;
  std::size_t next_ = 0;  // where a free one is looked for first: the oldest
};

}  // namespace tandem::servers
