#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace tandem::kernels {

/// Makes LibTorch take the memory of CPU tensors from a cache, for the whole process and for good: freed blocks are
/// kept by size and handed out again, so that a training loop asks the system for memory in its first steps only and
/// never pays for fresh pages again. Blocks of 2 MiB or more lie on huge pages. What a thread took and freed itself it
/// finds again whatever other threads do; what another thread frees, and what a thread leaves when it ends, serves all.
///
/// May be called any number of times, from any thread, at any time: tensors made earlier keep their own deleter.
/// Another allocator that a program sets later for kCPU wins. Memory may be freed on any thread.
///
/// When the system has no memory left, even after everything cached went back to it, an allocation throws
/// c10::OutOfMemoryError, which LibTorch's allocators for other devices throw as well: one handler serves all devices.
void install_cpu_allocator();

/// From now on this thread may have `bytes` of memory of CPU tensors at most, of those that it takes itself and whoever
/// frees them, 0: any. An allocation beyond throws InvalidArgument that names `who`, the limit, what is in use and what
/// was asked. Bytes are those of requests rounded up to a SizeClass.
void limit_memory_of_thread(int64_t bytes, const std::string& who);

/// Figures of the allocator since the process began. Bytes are those of whole blocks: requests rounded up to a
/// SizeClass, or up to twice as much where a larger cached block served a request of 64 KiB or more.
struct AllocatorStats {
  int64_t bytes_in_use = 0;        // held by tensors now
  int64_t peak_bytes_in_use = 0;   // highest value of bytes_in_use
  int64_t bytes_reserved = 0;      // taken from the system: in use and cached
  int64_t system_allocations = 0;  // times that the system was asked for a block
  int64_t cache_hits = 0;          // times that a cached block was used
};
AllocatorStats cpu_allocator_stats();

/// At most `bytes` are kept unused; beyond it blocks go back to the system: those that no thread keeps for itself
/// first, of these the sizes asked for longest ago. Default: half of the memory that the process may have.
void set_cpu_cache_limit(std::size_t bytes);

/// Gives all unused blocks back to the system.
void release_cached_memory();

}  // namespace tandem::kernels
