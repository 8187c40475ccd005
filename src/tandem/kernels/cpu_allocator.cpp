#include "tandem/kernels/cpu_allocator.h"

#include <c10/core/Allocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "tandem/kernels/block_cache.h"
#include "tandem/kernels/memory_account.h"
#include "tandem/kernels/size_class.h"
#include "tandem/kernels/system_memory.h"

namespace tandem::kernels {
namespace {

// Counted over all threads; each on its own cache line, as every allocation of every thread writes them.
struct Counters {
  alignas(64) std::atomic<int64_t> in_use{0};
  alignas(64) std::atomic<int64_t> peak{0};
  alignas(64) std::atomic<int64_t> reserved{0};
  alignas(64) std::atomic<int64_t> system_allocations{0};
  alignas(64) std::atomic<int64_t> hits{0};

  int64_t cached() const { return reserved.load(std::memory_order_relaxed) - in_use.load(std::memory_order_relaxed); }

  void take(int64_t bytes) {
    const int64_t now = in_use.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    int64_t seen = peak.load(std::memory_order_relaxed);
    while (seen < now && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
    }
  }
};

struct State {
  Counters counters;
  BlockCache shared;  // blocks that any thread may take
  std::mutex mutex;   // guards threads
  std::vector<BlockCache*> threads;
  std::atomic<int64_t> cache_limit{static_cast<int64_t>(system_memory() / 2)};
};

// Never destroyed: tensors in static variables are freed after everything else.
State& state() {
  static State* const state = new State;
  return *state;
}

// Each thread keeps the blocks that it took itself and freed itself. A replica does the same every step, so from its
// second step on it finds all it needs in its own cache, whatever the other replicas do meanwhile. Blocks freed by
// another thread than took them (a batch that a loader made and a replica used up) go to the shared cache, where the
// loader finds them.
class ThreadCache {
 public:
  ThreadCache() {
    std::lock_guard lock(state().mutex);
    state().threads.push_back(cache_.get());
  }
  ~ThreadCache() {
    gone_ = true;
    std::lock_guard lock(state().mutex);
    std::erase(state().threads, cache_.get());
    while (Block* block = cache_->pop_oldest()) state().shared.push(block);
  }

  // Null while the thread ends: what is freed after its cache goes to the shared one.
  static BlockCache* of_this_thread() {
    if (gone_) return nullptr;
    thread_local ThreadCache own;
    return own.cache_.get();
  }

 private:
  std::unique_ptr<BlockCache> cache_ = std::make_unique<BlockCache>();
  static thread_local bool gone_;
};
thread_local bool ThreadCache::gone_ = false;

// What this thread may have, where that is limited.
class OwnAccount {
 public:
  ~OwnAccount() { replace(nullptr); }
  MemoryAccount* get() const { return account_; }
  void replace(MemoryAccount* account) {
    if (account_) account_->close();
    account_ = account;
  }

 private:
  MemoryAccount* account_ = nullptr;
};
thread_local OwnAccount own_account;

// Gives blocks back to the system until at most `limit` bytes are cached; first those that no thread keeps for itself.
void shrink_to(int64_t limit) {
  Counters& counters = state().counters;
  std::lock_guard lock(state().mutex);
  const auto shrink = [&](BlockCache& cache) {
    while (counters.cached() > limit) {
      Block* block = cache.pop_oldest();
      if (!block) return;
      const std::size_t bytes = block->bytes();
      counters.reserved.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
      system_free(block->data(), bytes);
    }
  };
  shrink(state().shared);
  for (BlockCache* cache : state().threads) shrink(*cache);
}

Block* allocate_from_system(int64_t size_class, std::size_t asked) {
  Counters& counters = state().counters;
  const std::size_t bytes = SizeClass::bytes(size_class);
  void* data = system_allocate(bytes);
  if (!data) {
    shrink_to(0);
    data = system_allocate(bytes);
  }
  TORCH_CHECK_WITH(OutOfMemoryError, data != nullptr, "CPU allocator: out of memory: asked for ", asked, " bytes with ",
                   counters.in_use.load(), " bytes in use; the system gives no more");
  counters.system_allocations.fetch_add(1, std::memory_order_relaxed);
  counters.reserved.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  Block* block = new (Block::of(data)) Block;
  block->tag = block->own_tag();
  block->size_class = size_class;
  return block;
}

// Above this size a block may serve a request of half its size as well: the sizes of a net peak at different times of a
// step, and with exact sizes alone MiniGoogLeNet's step held a quarter more memory.
constexpr int64_t kFlexible = SizeClass::of(std::size_t{64} << 10);

int64_t widest_for(int64_t size_class) {
  return size_class < kFlexible ? size_class : std::min(size_class + SizeClass::kSteps, SizeClass::kCount - 1);
}

void* allocate_block(std::size_t asked) {
  Counters& counters = state().counters;
  TORCH_CHECK_WITH(OutOfMemoryError, asked <= SizeClass::kLargest, "CPU allocator: out of memory: asked for ", asked,
                   " bytes with ", counters.in_use.load(), " bytes in use; no machine has as much");
  const int64_t size_class = SizeClass::of(asked);
  const auto charged = static_cast<int64_t>(SizeClass::bytes(size_class));
  MemoryAccount* const account = own_account.get();
  if (account) account->check(charged, asked);
  const int64_t widest = widest_for(size_class);
  BlockCache* own = ThreadCache::of_this_thread();
  Block* block = own ? own->pop(size_class, widest) : nullptr;
  if (!block) block = state().shared.pop(size_class, widest);
  if (block) {
    counters.hits.fetch_add(1, std::memory_order_relaxed);
  } else {
    block = allocate_from_system(size_class, asked);
  }
  block->home = own;
  block->account = account;
  block->charged = charged;
  if (account) account->charge(charged);
  counters.take(static_cast<int64_t>(block->bytes()));
  return block->data();
}

// Raw memory that LibTorch got before the allocator was installed is freed through it as well. Our memory never begins
// a page; what lies before other memory in its page belongs to malloc and may be read, and the tag does not fit.
__attribute__((no_sanitize("address", "thread"))) bool is_ours(void* data) {
  if (reinterpret_cast<std::uintptr_t>(data) % kPage == 0) return false;
  const Block* block = Block::of(data);
  return block->tag == block->own_tag();
}

void free_block(void* data) {
  if (!data) return;
  if (!is_ours(data)) return c10::free_cpu(data);
  Block* block = Block::of(data);
  Counters& counters = state().counters;
  counters.in_use.fetch_sub(static_cast<int64_t>(block->bytes()), std::memory_order_relaxed);
  if (auto* account = std::exchange(block->account, nullptr)) account->credit(block->charged);
  BlockCache* own = ThreadCache::of_this_thread();
  (own && block->home == own ? *own : state().shared).push(block);
  const int64_t limit = state().cache_limit.load(std::memory_order_relaxed);
  if (counters.cached() > limit) shrink_to(limit);
}

class CpuAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    void* data = bytes ? allocate_block(bytes) : nullptr;
    return {data, data, &free_block, c10::Device(c10::kCPU)};
  }
  // oneDNN's scratch memory is freed by pointer alone.
  c10::DeleterFnPtr raw_deleter() const override { return &free_block; }
  void copy_data(void* target, const void* source, std::size_t bytes) const override {
    default_copy_data(target, source, bytes);
  }
};

}  // namespace

void install_cpu_allocator() {
  static const bool installed = [] {
    c10::SetAllocator(c10::kCPU, new CpuAllocator, /*priority=*/100);  // LibTorch keeps the pointer for good
    return true;
  }();
  static_cast<void>(installed);
}

void limit_memory_of_thread(int64_t bytes, const std::string& who) {
  own_account.replace(bytes > 0 ? MemoryAccount::open(bytes, who) : nullptr);
}

AllocatorStats cpu_allocator_stats() {
  const Counters& counters = state().counters;
  return {.bytes_in_use = counters.in_use.load(),
          .peak_bytes_in_use = counters.peak.load(),
          .bytes_reserved = counters.reserved.load(),
          .system_allocations = counters.system_allocations.load(),
          .cache_hits = counters.hits.load()};
}

void set_cpu_cache_limit(std::size_t bytes) {
  constexpr auto kMost = static_cast<std::size_t>(INT64_MAX);
  const auto limit = static_cast<int64_t>(std::min(bytes, kMost));
  state().cache_limit.store(limit);
  shrink_to(limit);
}

void release_cached_memory() { shrink_to(0); }

}  // namespace tandem::kernels
