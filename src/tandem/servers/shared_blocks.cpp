#include "tandem/servers/shared_blocks.h"

#include <ATen/ATen.h>

#include <atomic>

namespace tandem::servers {

const Tensor& SharedBlocks::copy_of(int64_t block, const Tensor& values) {
  auto& current = current_[static_cast<std::size_t>(block)];
  if (!current.defined()) {
    current = free_buffer().narrow(0, 0, values.numel());
    current.copy_(values);
  }
  return current;
}

Tensor SharedBlocks::free_buffer() {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    auto& buffer = buffers_[next_];
    next_ = (next_ + 1) % buffers_.size();
    if (buffer.storage().use_count() == 1) {
      // What others read before they let go comes before what is written now.
      std::atomic_thread_fence(std::memory_order_acquire);
      return buffer;
    }
  }
  buffers_.push_back(at::empty({largest_}, at::kFloat));
  return buffers_.back();
}

}  // namespace tandem::servers
