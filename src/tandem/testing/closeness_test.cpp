#include "tandem/testing/closeness.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

namespace tandem::testing {
namespace {

TEST(Difference, IsEmptyForEqualAndCloseTensors) {
  const auto x = at::tensor({1.0F, -2.0F, 1000.0F});
  EXPECT_EQ(difference(x, x, 0), "");
  EXPECT_EQ(difference(x * (1 + 1e-6), x, 1e-5), "");
  const auto nan = at::tensor({std::numeric_limits<float>::quiet_NaN()});
  EXPECT_EQ(difference(nan, nan, 0), "");
}

TEST(Difference, NamesTheElementThatIsFarthest) {
  const auto want = at::zeros({2, 2});
  auto got = want.clone();
  got[1][0] = 0.5;
  got[0][1] = 0.1;
  EXPECT_EQ(difference(got, want, 1e-3), "element 2 of [2, 2] is 0.5, must be 0 (2 differ)");
  EXPECT_EQ(difference(at::zeros({2}), want, 1), "sizes [2], must be [2, 2]");
  EXPECT_NE(difference(at::full({1}, std::numeric_limits<double>::quiet_NaN()), at::zeros({1}), 1), "");
}

}  // namespace
}  // namespace tandem::testing
