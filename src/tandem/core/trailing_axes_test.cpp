#include "tandem/core/trailing_axes.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(TrailingAxes, AreAddedUntilTheRankIsThere) {
  const Tensor x = at::arange(6).view({2, 3});
  EXPECT_EQ(with_trailing_axes(x, 4).sizes(), at::IntArrayRef({2, 3, 1, 1}));
  EXPECT_TRUE(at::equal(with_trailing_axes(x, 4).view({2, 3}), x));
  EXPECT_TRUE(with_trailing_axes(x, 2).is_same(x));
  EXPECT_EQ(with_trailing_axes(x, 1).sizes(), x.sizes());
}

}  // namespace
}  // namespace tandem
