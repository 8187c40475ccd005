#include "tandem/kernels/system_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>

namespace tandem::kernels {
namespace {

std::size_t mapped_bytes(std::size_t bytes) { return (kHeaderBytes + bytes + kPage - 1) / kPage * kPage; }

// What is mapped only to find a multiple of 2 MiB goes back at once.
void* map_aligned(std::size_t wanted) {
  const std::size_t mapped = wanted + kHugePage;
  void* start = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(start) % kHugePage) % kHugePage;
  char* begin = static_cast<char*>(start) + before;
  if (before > 0) munmap(start, before);
  munmap(begin + wanted, kHugePage - before);
  madvise(begin, wanted, MADV_HUGEPAGE);  // a wish: kernels without huge pages refuse it
  return begin;
}

}  // namespace

void* system_allocate(std::size_t bytes) {
  // From malloc at odd multiples of 64: never the begin of a page.
  void* start = bytes >= kHugePage ? map_aligned(mapped_bytes(bytes))
                                   : std::aligned_alloc(128, (kHeaderBytes + bytes + 127) / 128 * 128);
  return start ? static_cast<char*>(start) + kHeaderBytes : nullptr;
}

void system_free(void* data, std::size_t bytes) {
  char* start = static_cast<char*>(data) - kHeaderBytes;
  if (bytes >= kHugePage) {
    munmap(start, mapped_bytes(bytes));
  } else {
    std::free(start);
  }
}

std::size_t system_memory() {
  auto bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::size_t limit = 0;
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> limit)
    bytes = std::min(bytes, limit);  // "max": no limit, no number
  if (std::ifstream("/sys/fs/cgroup/memory/memory.limit_in_bytes") >> limit) bytes = std::min(bytes, limit);
  return bytes;
}

}  // namespace tandem::kernels
