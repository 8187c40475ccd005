#include "tandem/kernels/block_cache.h"

namespace tandem::kernels {

Block* BlockCache::pop(int64_t size_class, int64_t widest) {
  std::lock_guard lock(mutex_);
  ++clock_;
  lanes_[static_cast<std::size_t>(size_class)].last_asked = clock_;
  for (int64_t c = size_class; c <= widest; ++c) {
    Lane& lane = lanes_[static_cast<std::size_t>(c)];
    if (Block* block = lane.pop()) {
      lane.last_asked = clock_;
      return block;
    }
  }
  return nullptr;
}

void BlockCache::push(Block* block) {
  std::lock_guard lock(mutex_);
  Lane& lane = lanes_[static_cast<std::size_t>(block->size_class)];
  block->next = lane.head;
  lane.head = block;
}

Block* BlockCache::pop_oldest() {
  std::lock_guard lock(mutex_);
  Lane* oldest = nullptr;
  for (Lane& lane : lanes_) {
    if (lane.head && (!oldest || lane.last_asked < oldest->last_asked)) oldest = &lane;
  }
  return oldest ? oldest->pop() : nullptr;
}

}  // namespace tandem::kernels
