#include "tandem/core/mask.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <thread>

#include "tandem/core/error.h"

namespace tandem {
namespace {

TEST(Mask, TravelsWithItsTensorAndDetachedOnes) {
  const Tensor x = at::ones({2, 3, 4}).requires_grad_(true), mask = at::ones({2, 3}, at::kBool);
  EXPECT_FALSE(mask_of(x).defined());
  set_mask(x, mask);
  EXPECT_TRUE(mask_of(x).is_same(mask));
  EXPECT_TRUE(mask_of(x.detach()).is_same(mask));
  Tensor seen;
  std::thread([&seen, copy = x] { seen = mask_of(copy); }).join();
  EXPECT_TRUE(seen.is_same(mask));
  EXPECT_FALSE(mask_of(x * 2).defined());
  EXPECT_FALSE(mask_of(Tensor()).defined());
}

TEST(Mask, IsReplacedAndTakenAway) {
  const Tensor x = at::ones({2, 3});
  set_mask(x, at::ones({2}, at::kBool));
  set_mask(x, at::zeros({2, 3}, at::kBool));
  EXPECT_EQ(mask_of(x).dim(), 2);
  set_mask(x, {});
  EXPECT_FALSE(mask_of(x).defined());
}

TEST(Mask, GoesWithACopy) {
  const Tensor x = at::ones({2, 3});
  EXPECT_FALSE(mask_of(with_mask_of(x, x * 1)).defined());
  set_mask(x, at::ones({2}, at::kBool));
  EXPECT_TRUE(mask_of(with_mask_of(x, x.to(at::kDouble))).defined());
}

TEST(Mask, RefusesOtherSizesAndTypes) {
  const Tensor x = at::ones({2, 3, 4});
  EXPECT_THROW(set_mask(x, at::ones({2, 4}, at::kBool)), InvalidArgument);
  EXPECT_THROW(set_mask(x, at::ones({2, 3, 4, 1}, at::kBool)), InvalidArgument);
  EXPECT_THROW(set_mask(x, at::ones({2, 3})), InvalidArgument);
}

}  // namespace
}  // namespace tandem
