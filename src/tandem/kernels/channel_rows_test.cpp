#include "tandem/kernels/channel_rows.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"

namespace tandem::kernels {
namespace {

TEST(ChannelRows, OfAContiguousTensor) {
  const at::Tensor x = at::randn({2, 3, 4, 5});
  const ChannelRows rows = channel_rows(x, "test");
  EXPECT_EQ(rows.count, 24);
  EXPECT_EQ(rows.channels, 5);
  EXPECT_EQ(rows.stride, 5);
  EXPECT_EQ(rows.row(23)[4], x[1][2][3][4].item<float>());
  EXPECT_EQ(rows.part(7, 9).row(1), rows.row(8));
  EXPECT_EQ(rows.part(7, 9).count, 2);
}

TEST(ChannelRows, OfASliceOfTheLastAxis) {
  const at::Tensor slice = at::randn({2, 3, 4, 9}).narrow(3, 2, 5);
  const ChannelRows rows = channel_rows(slice, "test");
  EXPECT_EQ(rows.count, 24);
  EXPECT_EQ(rows.channels, 5);
  EXPECT_EQ(rows.stride, 9);
  EXPECT_EQ(rows.row(13)[3], slice[1][0][1][3].item<float>());
}

TEST(ChannelRows, AxesOfOneValueDoNotMatter) {
  const at::Tensor x = at::randn({6, 4}).as_strided({1, 6, 1, 4}, {1, 4, 777, 1});
  EXPECT_EQ(channel_rows(x, "test").stride, 4);
  EXPECT_EQ(channel_rows(at::randn({7}), "test").count, 1);
  EXPECT_EQ(channel_rows(at::randn({7, 1}).narrow(0, 0, 1), "test").channels, 1);
}

TEST(ChannelRows, RefusesWhatHasNone) {
  const at::Tensor x = at::randn({4, 6, 8});
  EXPECT_FALSE(has_channel_rows(x.permute({0, 2, 1})));
  EXPECT_FALSE(has_channel_rows(x.narrow(1, 0, 5)));
  EXPECT_FALSE(has_channel_rows(x.transpose(0, 1)));
  EXPECT_FALSE(has_channel_rows(x.narrow(0, 0, 1).expand({3, 6, 8})));
  EXPECT_FALSE(has_channel_rows(at::randn({1, 8}).expand({4, 8})));
  EXPECT_FALSE(has_channel_rows(x.to(at::kDouble)));
  EXPECT_FALSE(has_channel_rows(at::empty({0, 8})));
  EXPECT_FALSE(has_channel_rows(at::scalar_tensor(1.F)));
  try {
    channel_rows(x.permute({0, 2, 1}), "some kernel");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "some kernel: must get a float32 CPU tensor (..., channels) that is not empty and whose rows lie at "
                 "equal distances, got CPUFloatType [4, 8, 6] with strides [48, 1, 8]");
  }
}

}  // namespace
}  // namespace tandem::kernels
