#include "tandem/kernels/image_channels.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"

namespace tandem::kernels {
namespace {

TEST(ImageChannels, GreyBecomesColour) {
  const at::Tensor grey = at::randint(256, {2, 3, 4, 1}, at::kByte);
  const at::Tensor wanted = grey.expand({2, 3, 4, 3}).to(at::kFloat);
  EXPECT_TRUE(at::equal(repeat_channels(grey, 3), wanted));
  EXPECT_TRUE(at::equal(repeat_channels(grey.to(at::kFloat), 3), wanted));
  EXPECT_TRUE(at::equal(repeat_channels(grey, 1), grey.to(at::kFloat)));
}

TEST(ImageChannels, Errors) {
  EXPECT_THROW(repeat_channels(at::zeros({2, 3, 4, 3}), 6), InvalidArgument);
  EXPECT_THROW(repeat_channels(at::zeros({2, 3, 4, 1}), 0), InvalidArgument);
}

}  // namespace
}  // namespace tandem::kernels
