#pragma once
#include <cstddef>

namespace tandem::kernels {

/// From this size on, memory is mapped by itself from a multiple of 2 MiB, and the system is asked to back it by huge
/// pages: fewer page faults when it is new, fewer TLB misses ever after.
inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Room in front of the memory that system_allocate returns, for the caller's own notes.
inline constexpr std::size_t kHeaderBytes = 64;

/// The smallest page of the machines that we know.
inline constexpr std::size_t kPage = 4096;

/// At least `bytes` of fresh memory, aligned to 64 bytes, with kHeaderBytes usable before it; from kHugePage bytes on,
/// header and memory together begin at a multiple of 2 MiB. Null when the system has none left. The memory never begins
/// a page, so that the header lies in the same page as the memory's first byte.
void* system_allocate(std::size_t bytes);

/// Gives back what system_allocate(bytes) returned.
void system_free(void* data, std::size_t bytes);

/// Bytes of memory that this process may have: the machine's, or its control group's limit where that is lower.
std::size_t system_memory();

}  // namespace tandem::kernels
