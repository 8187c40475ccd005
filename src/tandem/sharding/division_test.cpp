#include "tandem/sharding/division.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

namespace tandem::sharding {
namespace {

TEST(Division, IsAsEvenAsItCanBe) {  // U59
  const Division ten{1, 10};
  std::vector<int64_t> counts, begins;
  for (int64_t r = 0; r < 4; ++r) {
    counts.push_back(ten.count({r, 4}));
    begins.push_back(ten.begin({r, 4}));
  }
  EXPECT_EQ(counts, (std::vector<int64_t>{3, 3, 2, 2}));
  EXPECT_EQ(begins, (std::vector<int64_t>{0, 3, 6, 8}));
}

TEST(Division, PartsOfAnyAxisMakeTheWhole) {
  const Tensor whole = at::arange(2 * 10 * 3).reshape({2, 10, 3});
  for (const auto& division : {Division{1, 10}, Division{2, 5}}) {
    const Tensor again = at::zeros_like(whole);
    for (int64_t r = 0; r < 4; ++r) {
      const Tensor part = part_of(whole, 1, division, {r, 4});
      EXPECT_EQ(part.size(1), division.own_length({r, 4}));
      put_part(again, 1, division, {r, 4}, part);
    }
    EXPECT_TRUE(at::equal(again, whole));
  }
}

TEST(Division, EveryBlockIsDividedAlike) {
  const Tensor whole = at::arange(12);  // two gates of six
  EXPECT_TRUE(at::equal(part_of(whole, -1, {2, 6}, {1, 3}), at::tensor({2, 3, 8, 9}, at::kLong)));
  EXPECT_TRUE(at::equal(part_of(whole, 0, {}, {1, 3}), whole));
}

}  // namespace
}  // namespace tandem::sharding
