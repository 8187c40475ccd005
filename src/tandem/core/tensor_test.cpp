#include "tandem/core/tensor.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace tandem {
namespace {

int64_t length(const Tensors& tensors) { return tensors.size(); }

TEST(Tensors, IsBuiltFromOneABracedListOrAVector) {
  const Tensor x = at::ones({2}), y = at::zeros({3});
  EXPECT_EQ(length(x), 1);
  EXPECT_EQ(length(at::ones({2})), 1);
  EXPECT_EQ(length({x, y}), 2);
  EXPECT_EQ(length(std::vector<Tensor>{x, y, x}), 3);
  EXPECT_EQ(length({}), 0);
}

TEST(Tensors, SharesWhatItHolds) {
  const Tensor x = at::ones({2}), y = at::zeros({3});
  Tensors tensors{x, y};
  EXPECT_TRUE(tensors.front().is_same(x));
  EXPECT_TRUE(tensors[1].is_same(y));
  tensors.push_back(x);
  tensors[1] = x;
  for (const auto& tensor : tensors) EXPECT_TRUE(tensor.is_same(x));
  EXPECT_EQ(tensors.vector().size(), 3U);
  EXPECT_FALSE(tensors.empty());
  EXPECT_TRUE(Tensors().empty());
}

}  // namespace
}  // namespace tandem
