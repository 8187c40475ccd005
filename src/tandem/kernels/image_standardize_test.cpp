#include "tandem/kernels/image_standardize.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"

namespace tandem::kernels {
namespace {

TEST(ImageStandardize, ScaleThenMean) {
  at::Tensor images = at::tensor({1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f}).view({2, 1, 2, 2});
  const at::Tensor mean = at::tensor({1.f, 0.f, -1.f, 2.f}).view({1, 2, 2});
  standardize_images(images, 0.5, mean);
  EXPECT_TRUE(at::equal(images.view(8), at::tensor({-0.5f, 1.f, 2.5f, 0.f, 1.5f, 3.f, 4.5f, 2.f})));
}

TEST(ImageStandardize, EitherAlone) {
  const at::Tensor images = at::rand({3, 5, 4, 3}) * 255;
  const at::Tensor mean = images.mean(0);
  at::Tensor centred = images.clone(), scaled = images.clone(), same = images.clone();
  standardize_images(centred, 1, mean);
  standardize_images(scaled, 2, {});
  standardize_images(same, 1, {});
  EXPECT_TRUE(at::equal(centred, images - mean));
  EXPECT_TRUE(at::equal(scaled, images * 2));
  EXPECT_TRUE(at::equal(same, images));
}

TEST(ImageStandardize, BytesGiveANewTensorWithTheSameValues) {
  const at::Tensor bytes = at::randint(256, {3, 5, 4, 3}, at::kByte), before = bytes.clone();
  const at::Tensor mean = at::rand({5, 4, 3}) * 255;
  EXPECT_TRUE(at::equal(standardize_images(bytes, 0.25, mean), standardize_images(bytes.to(at::kFloat), 0.25, mean)));
  EXPECT_TRUE(at::equal(standardize_images(bytes, 1, {}), bytes.to(at::kFloat)));
  EXPECT_TRUE(at::equal(bytes, before));
}

TEST(ImageStandardize, Errors) {
  const at::Tensor images = at::zeros({3, 5, 4, 3});
  EXPECT_THROW(standardize_images(images, 1, at::zeros({4, 5, 3})), InvalidArgument);
  EXPECT_THROW(standardize_images(images, 1, at::zeros({5, 4, 3}, at::kDouble)), InvalidArgument);
  EXPECT_THROW(standardize_images(images.to(at::kDouble), 1, {}), InvalidArgument);
}

}  // namespace
}  // namespace tandem::kernels
