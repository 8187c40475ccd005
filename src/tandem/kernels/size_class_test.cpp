#include "tandem/kernels/size_class.h"

#include <gtest/gtest.h>

namespace tandem::kernels {
namespace {

TEST(SizeClass, KnownSizes) {
  EXPECT_EQ(SizeClass::bytes(SizeClass::of(1)), 64u);
  EXPECT_EQ(SizeClass::bytes(SizeClass::of(64)), 64u);
  EXPECT_EQ(SizeClass::bytes(SizeClass::of(65)), 128u);
  EXPECT_EQ(SizeClass::bytes(SizeClass::of(512)), 512u);
  EXPECT_EQ(SizeClass::bytes(SizeClass::of(513)), 576u);
  EXPECT_EQ(SizeClass::bytes(SizeClass::of(1024)), 1024u);
  EXPECT_EQ(SizeClass::bytes(SizeClass::of(1025)), 1152u);
  EXPECT_EQ(SizeClass::bytes(SizeClass::of(3u << 20)), 3u << 20);
  EXPECT_EQ(SizeClass::bytes(SizeClass::of((3u << 20) + 1)), (3u << 20) + (1u << 18));
}

TEST(SizeClass, EveryClassIsTheSmallestThatHoldsItsSizes) {
  std::size_t below = 0;
  for (int64_t c = 0; c < SizeClass::kCount; ++c) {
    const std::size_t bytes = SizeClass::bytes(c);
    EXPECT_GT(bytes, below);
    EXPECT_EQ(bytes % 64, 0u);
    EXPECT_EQ(SizeClass::of(bytes), c);
    EXPECT_EQ(SizeClass::of(below + 1), c);
    if (bytes > 512) {
      EXPECT_LE((bytes - below) * 9, bytes);
    }
    below = bytes;
  }
  EXPECT_EQ(below, SizeClass::kLargest);
}

}  // namespace
}  // namespace tandem::kernels
