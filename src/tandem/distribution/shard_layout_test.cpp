#include "tandem/distribution/shard_layout.h"

#include <gtest/gtest.h>

#include "tandem/core/error.h"

namespace tandem::distribute {
namespace {

// Weights of 10, 3 and 20 elements in a buffer of 48, over three ranks of 16.
const std::vector<FlatPlace> kPlaces{{0, 10}, {12, 3}, {20, 20}};

TEST(ShardLayout, CutsWhereverWeightsBeginAndEnd) {
  const ShardLayout first(kPlaces, 48, 0, 3), second(kPlaces, 48, 1, 3), third(kPlaces, 48, 2, 3);
  EXPECT_EQ(second.begin(), 16);
  EXPECT_EQ(second.size(), 16);
  const auto lengths = [](const ShardLayout& layout) {
    std::vector<int64_t> counts;
    for (const auto& part : layout.parts()) counts.push_back(part.count);
    return counts;
  };
  EXPECT_EQ(lengths(first), (std::vector<int64_t>{10, 3, 0}));
  EXPECT_EQ(lengths(second), (std::vector<int64_t>{0, 0, 12}));
  EXPECT_EQ(lengths(third), (std::vector<int64_t>{0, 0, 8}));
  EXPECT_EQ(second.parts()[2].offset, 4);
  EXPECT_EQ(second.firsts()[2], 0);
  EXPECT_EQ(third.parts()[2].offset, 0);
  EXPECT_EQ(third.firsts()[2], 12);
}

TEST(ShardLayout, SaysWhoHasWhat) {
  const ShardLayout layout(kPlaces, 48, 0, 3);
  const auto pieces = layout.pieces(12, 40);
  ASSERT_EQ(pieces.size(), 3U);
  const int64_t begins[] = {12, 16, 32}, ends[] = {16, 32, 40};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(pieces[k].begin, begins[k]);
    EXPECT_EQ(pieces[k].end, ends[k]);
    EXPECT_EQ(pieces[k].owner, static_cast<int64_t>(k));
  }
  EXPECT_TRUE(layout.pieces(7, 7).empty());
  EXPECT_THROW(ShardLayout(kPlaces, 49, 0, 3), InternalError);
}

}  // namespace
}  // namespace tandem::distribute
