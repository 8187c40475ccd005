#include "tandem/losses/clip.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Clip, ValuesOnABoundKeepTheirGradient) {
  const Tensor x = at::tensor({-1.0, 0.0, 0.5, 1.0, 2.0}).requires_grad_();
  const Tensor clipped = clip(x, 0, 1);
  EXPECT_TRUE(at::equal(clipped, at::tensor({0.0, 0.0, 0.5, 1.0, 1.0})));
  clipped.sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), at::tensor({0.0, 1.0, 1.0, 1.0, 0.0})));
  EXPECT_TRUE(at::equal(clip_below(x, 0.25).detach(), at::tensor({0.25, 0.25, 0.5, 1.0, 2.0})));
}

}  // namespace
}  // namespace tandem
