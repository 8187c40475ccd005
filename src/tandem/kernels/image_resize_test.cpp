#include "tandem/kernels/image_resize.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tandem/core/error.h"

namespace tandem::kernels {
namespace {

TEST(ImageResize, TwoByTwoToFourByFour) {
  const at::Tensor image = at::tensor({0.f, 4.f, 8.f, 16.f}).view({1, 2, 2, 1});
  const at::Tensor wanted = at::tensor({0.f, 1.f, 3.f, 4.f,        //
                                        2.f, 3.25f, 5.75f, 7.f,    //
                                        6.f, 7.75f, 11.25f, 13.f,  //
                                        8.f, 10.f, 14.f, 16.f})
                                .view({1, 4, 4, 1});
  EXPECT_TRUE(at::equal(resize_images(image, 4, 4), wanted)) << resize_images(image, 4, 4).view({4, 4});
}

// Position of the output's pixel centre in the input, edges repeated; no smoothing.
TEST(ImageResize, Formula) {
  at::manual_seed(2);
  for (const auto& [h, w, c, H, W] : {std::array<int64_t, 5>{8, 8, 1, 32, 32},
                                      {32, 32, 3, 8, 8},
                                      {5, 7, 2, 11, 3},
                                      {1, 1, 4, 3, 2},
                                      {6, 6, 3, 6, 6}}) {
    const at::Tensor image = at::rand({2, h, w, c}) * 255;
    const at::Tensor resized = resize_images(image, H, W);
    ASSERT_EQ(resized.sizes(), at::IntArrayRef({2, H, W, c}));
    auto in = image.accessor<float, 4>(), out = resized.accessor<float, 4>();
    const auto place = [](int64_t i, int64_t from, int64_t to) {
      const double p = (static_cast<double>(i) + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5;
      return std::clamp(p, 0.0, static_cast<double>(from - 1));
    };
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t i = 0; i < H; ++i)
        for (int64_t j = 0; j < W; ++j)
          for (int64_t k = 0; k < c; ++k) {
            const double y = place(i, h, H), x = place(j, w, W);
            const auto r = static_cast<int64_t>(y), s = static_cast<int64_t>(x);
            const int64_t r2 = std::min(r + 1, h - 1), s2 = std::min(s + 1, w - 1);
            const double a = y - static_cast<double>(r), b = x - static_cast<double>(s);
            const double value = (1 - a) * ((1 - b) * in[n][r][s][k] + b * in[n][r][s2][k]) +
                                 a * ((1 - b) * in[n][r2][s][k] + b * in[n][r2][s2][k]);
            ASSERT_NEAR(out[n][i][j][k], value, 1e-3) << h << "x" << w << " to " << H << "x" << W;
          }
  }
}

TEST(ImageResize, AsLibTorchWithoutAlignedCorners) {
  const at::Tensor bytes = at::randint(256, {3, 28, 20, 3}, at::kByte);
  const at::Tensor reference =
      at::upsample_bilinear2d(bytes.to(at::kFloat).permute({0, 3, 1, 2}), {32, 45}, false).permute({0, 2, 3, 1});
  EXPECT_TRUE(at::allclose(resize_images(bytes, 32, 45), reference, 1e-5, 1e-3));
  EXPECT_TRUE(at::equal(resize_images(bytes, 28, 20), bytes.to(at::kFloat)));
}

TEST(ImageResize, Errors) {
  EXPECT_THROW(resize_images(at::zeros({1, 4, 4, 3}), 0, 4), InvalidArgument);
  EXPECT_THROW(resize_images(at::zeros({1, 4, 4}), 4, 4), InvalidArgument);
  EXPECT_THROW(BilinearResize({0, 4, 3}, 4, 4), InvalidArgument);
}

}  // namespace
}  // namespace tandem::kernels
