#include "tandem/kernels/image_flip.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

#include "tandem/core/error.h"

namespace tandem::kernels {
namespace {

TEST(ImageFlip, KnownImage) {
  std::vector<float> image = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};  // 2 lines of 3 pixels of 2 channels
  const std::vector<float> mirrored = {5, 6, 3, 4, 1, 2, 11, 12, 9, 10, 7, 8};
  std::vector<float> target(12);
  flip_image(image.data(), target.data(), {2, 3, 2});
  EXPECT_EQ(target, mirrored);
  flip_image(image.data(), {2, 3, 2});
  EXPECT_EQ(image, mirrored);
}

TEST(ImageFlip, BatchesOfBytesAndFloats) {
  for (const int64_t width : {1, 2, 7, 8}) {
    const at::Tensor bytes = at::randint(256, {3, 4, width, 3}, at::kByte);
    const at::Tensor wanted = bytes.flip({2}).to(at::kFloat);
    EXPECT_TRUE(at::equal(flip_images(bytes), wanted));
    EXPECT_TRUE(at::equal(flip_images(bytes.to(at::kFloat)), wanted));
  }
  EXPECT_THROW(flip_images(at::zeros({3, 4, 3})), InvalidArgument);
  EXPECT_THROW(flip_images(at::zeros({3, 4, 4, 3}, at::kDouble)), InvalidArgument);
}

}  // namespace
}  // namespace tandem::kernels
