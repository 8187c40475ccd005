#pragma once
#include <array>
#include <cstdint>
#include <mutex>

#include "tandem/kernels/size_class.h"
#include "tandem/kernels/system_memory.h"

namespace tandem::kernels {

class BlockCache;
class MemoryAccount;

/// Stands in the kHeaderBytes before a block's memory, so that a pointer to the memory is enough to free it.
struct Block {
  Block* next = nullptr;       // while it lies in a cache
  BlockCache* home = nullptr;  // of the thread that took it last; only compared, the thread may have ended
  std::uintptr_t tag = 0;
  int64_t size_class = 0;
  MemoryAccount* account = nullptr;  // that pays for it while it is in use; null: nobody
  int64_t charged = 0;               // bytes

  std::size_t bytes() const { return SizeClass::bytes(size_class); }
  void* data() { return reinterpret_cast<char*>(this) + kHeaderBytes; }
  static Block* of(void* data) { return reinterpret_cast<Block*>(static_cast<char*>(data) - kHeaderBytes); }

  /// What `tag` holds in our blocks and, as it depends on the address, in nothing else.
  std::uintptr_t own_tag() const {
    return std::uintptr_t{0x7a6d'656d'2d64'6e74} ^ reinterpret_cast<std::uintptr_t>(this);
  }
};
static_assert(sizeof(Block) <= kHeaderBytes);

/// Unused blocks by size. Last in, first out: the block used last is the one most likely still in the core's own cache.
class BlockCache {
 public:
  /// A block of the class or, where there is none, of the next larger ones up to `widest`; null when those are empty.
  Block* pop(int64_t size_class, int64_t widest);
  void push(Block* block);
  /// A block of the size that was asked for longest ago; null when the cache is empty.
  Block* pop_oldest();

 private:
  struct Lane {
    Block* head = nullptr;
    int64_t last_asked = 0;

    Block* pop() {
      Block* block = head;
      if (block) head = block->next;
      return block;
    }
  };

  std::mutex mutex_;
  std::array<Lane, SizeClass::kCount> lanes_;
  int64_t clock_ = 0;
};

}  // namespace tandem::kernels
