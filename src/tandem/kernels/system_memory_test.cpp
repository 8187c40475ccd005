#include "tandem/kernels/system_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace tandem::kernels {
namespace {

TEST(SystemMemory, HeaderAndDataAreUsableAndShareAPage) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{64}, std::size_t{4096}, std::size_t{70'000},
                                  kHugePage - 1, kHugePage, kHugePage + 1, 3 * kHugePage - 64, 7 * kHugePage}) {
    for (int repeat = 0; repeat < 40; ++repeat) {
      auto* data = static_cast<char*>(system_allocate(bytes));
      ASSERT_NE(data, nullptr);
      const auto address = reinterpret_cast<std::uintptr_t>(data);
      EXPECT_EQ(address % 64, 0u);
      EXPECT_EQ(address / kPage, (address - kHeaderBytes) / kPage);
      if (bytes >= kHugePage) {
        EXPECT_EQ(address % kHugePage, kHeaderBytes);
      }
      std::memset(data - kHeaderBytes, 1, kHeaderBytes);
      data[0] = data[bytes - 1] = 2;
      system_free(data, bytes);
    }
  }
}

TEST(SystemMemory, NullWhenThereIsNone) { EXPECT_EQ(system_allocate(std::size_t{1} << 47), nullptr); }

TEST(SystemMemory, TheProcessHasSome) {
  EXPECT_GT(system_memory(), std::size_t{64} << 20);
  EXPECT_LT(system_memory(), std::size_t{1} << 50);
}

}  // namespace
}  // namespace tandem::kernels
