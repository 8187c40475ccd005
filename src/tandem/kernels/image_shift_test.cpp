#include "tandem/kernels/image_shift.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tandem/core/error.h"

namespace tandem::kernels {
namespace {

std::vector<float> random_image(const ImageSize& size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> image(static_cast<std::size_t>(size.count()));
  for (float& v : image) v = std::uniform_real_distribution<float>(0, 255)(random);
  return image;
}

// The definition, one value at a time and in double: nearest clamps the position, constant has no blend at the edge.
float expected(const std::vector<float>& image, const ImageSize& size, int64_t i, int64_t j, int64_t k,
               const ImageShift& shift, const Fill& fill) {
  if (shift.flip) j = size.width - 1 - j;
  double y = static_cast<double>(i) + shift.dy, x = static_cast<double>(j) + shift.dx;
  const double bottom = static_cast<double>(size.height - 1), right = static_cast<double>(size.width - 1);
  if (fill.mode == FillMode::constant && (y < 0 || y > bottom || x < 0 || x > right)) return fill.value;
  y = std::min(std::max(y, 0.0), bottom);
  x = std::min(std::max(x, 0.0), right);
  const auto at = [&](double row, double column) -> double {
    row = std::min(row, bottom);
    column = std::min(column, right);
    return image[(static_cast<std::size_t>(row) * static_cast<std::size_t>(size.width) +
                  static_cast<std::size_t>(column)) *
                     static_cast<std::size_t>(size.channels) +
                 static_cast<std::size_t>(k)];
  };
  const double r = std::floor(y), c = std::floor(x), wy = y - r, wx = x - c;
  return static_cast<float>((1 - wy) * ((1 - wx) * at(r, c) + wx * at(r, c + 1)) +
                            wy * ((1 - wx) * at(r + 1, c) + wx * at(r + 1, c + 1)));
}

void compare(const ImageSize& size, const ImageShift& shift, const Fill& fill, float tolerance) {
  const std::vector<float> image = random_image(size, 3);
  std::vector<float> moved(image.size(), std::numeric_limits<float>::quiet_NaN());
  shift_image(image.data(), moved.data(), size, shift, fill);
  auto value = moved.begin();
  for (int64_t i = 0; i < size.height; ++i) {
    for (int64_t j = 0; j < size.width; ++j) {
      for (int64_t k = 0; k < size.channels; ++k) {
        ASSERT_NEAR(*value++, expected(image, size, i, j, k, shift, fill), tolerance)
            << "pixel " << i << ", " << j << " channel " << k << " moved by " << shift.dy << ", " << shift.dx
            << (shift.flip ? " flipped" : "");
      }
    }
  }
}

TEST(ImageShift, WholePixelsAreExact) {
  for (const Fill& fill : {Fill{}, Fill{.mode = FillMode::constant, .value = 7}}) {
    for (int dy = -9; dy <= 9; ++dy) {
      for (int dx = -8; dx <= 8; ++dx) {
        compare({7, 6, 3}, {.dy = double(dy), .dx = double(dx), .flip = (dx + dy) % 2 == 0}, fill, 0);
      }
    }
  }
}

TEST(ImageShift, FractionsAreBilinear) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> pixels(-10, 10);
  for (const ImageSize& size : {ImageSize{32, 32, 3}, ImageSize{5, 9, 1}, ImageSize{1, 4, 2}, ImageSize{4, 1, 5}}) {
    for (int repeat = 0; repeat < 50; ++repeat) {
      for (const Fill& fill : {Fill{}, Fill{.mode = FillMode::constant, .value = -3}}) {
        compare(size, {.dy = pixels(random), .dx = pixels(random), .flip = repeat % 2 == 0}, fill, 1e-4f);
        compare(size, {.dy = 0, .dx = pixels(random), .flip = repeat % 2 == 0}, fill, 1e-4f);
        compare(size, {.dy = pixels(random), .dx = 0, .flip = repeat % 2 == 0}, fill, 1e-4f);
      }
    }
  }
}

// scipy 1.17.1: ndimage.affine_transform(x, eye(2), (1.25, -1.5), order=1, mode=..., cval=-7)
TEST(ImageShift, AsScipy) {
  const std::vector<float> x = {1, 2, 4, 8, 3, 9, 27, 81, 5, 6, 7, 0};
  const std::vector<std::pair<Fill, std::vector<float>>> cases = {
      {{.mode = FillMode::nearest}, {3.5, 3.5, 5.875, 15.125, 5, 5, 5.5, 6.5, 5, 5, 5.5, 6.5}},
      {{.mode = FillMode::constant, .value = -7}, {-7, -7, 5.875, 15.125, -7, -7, -7, -7, -7, -7, -7, -7}},
      {{.mode = FillMode::reflect}, {5.875, 3.5, 5.875, 15.125, 5.5, 5, 5.5, 6.5, 5.625, 4.5, 5.625, 9.375}},
      {{.mode = FillMode::wrap},
       {15.125, 41.375, 5.875, 15.125, 6.75, 18, 2.625, 6.75, 15.125, 41.375, 5.875, 15.125}}};
  for (const auto& [fill, wanted] : cases) {
    std::vector<float> moved(12);
    shift_image(x.data(), moved.data(), {3, 4, 1}, {.dy = 1.25, .dx = -1.5}, fill);
    EXPECT_EQ(moved, wanted) << "mode " << static_cast<int>(fill.mode);
  }
  // The same with the offset (-2.75, 5.5), more than the image's width.
  const std::vector<float> far = {9.375, 5.625, 4.5, 5.625, 14.25, 4.875, 2.5, 4.875, 3, 1.5, 1, 1.5};
  std::vector<float> moved(12);
  shift_image(x.data(), moved.data(), {3, 4, 1}, {.dy = -2.75, .dx = 5.5}, {.mode = FillMode::reflect});
  EXPECT_EQ(moved, far);
}

TEST(ImageShift, BytesGiveTheSameAsFloats) {
  const at::Tensor bytes = at::randint(256, {4, 8, 9, 3}, at::kByte);
  const std::vector<ImageShift> shifts = {
      {.dy = 0.3, .dx = -2.7}, {.dy = 1, .dx = 2, .flip = true}, {}, {.dy = -0.5, .dx = 0.25, .flip = true}};
  EXPECT_TRUE(at::allclose(shift_images(bytes, shifts), shift_images(bytes.to(at::kFloat), shifts), 0, 1e-4));
  EXPECT_TRUE(at::equal(shift_images(bytes, shifts)[2], bytes[2].to(at::kFloat)));
}

TEST(ImageShift, RowsOfABatch) {
  const at::Tensor source = at::randint(256, {5, 4, 6, 3}, at::kByte);
  const at::Tensor target = at::zeros({3, 4, 6, 3});
  shift_row(source, 4, target, 1, {.dx = 2, .flip = true});
  const at::Tensor columns = at::tensor({5, 5, 5, 4, 3, 2}, at::kLong);
  EXPECT_TRUE(at::equal(target[1], source[4].index_select(1, columns).to(at::kFloat)));
  EXPECT_EQ(target[0].abs().max().item<float>(), 0);
  EXPECT_EQ(target[2].abs().max().item<float>(), 0);

  EXPECT_THROW(shift_row(source, 5, target, 1, {}), InvalidArgument);
  EXPECT_THROW(shift_row(source, 0, target, -1, {}), InvalidArgument);
  EXPECT_THROW(shift_row(source, 0, at::zeros({3, 4, 5, 3}), 0, {}), InvalidArgument);
  EXPECT_THROW(shift_row(source, 0, source, 1, {}), InvalidArgument) << "a target of bytes";
  EXPECT_THROW(shift_row(source.permute({0, 2, 1, 3}), 0, target, 0, {}), InvalidArgument);
  EXPECT_THROW(shift_row(source, 0, target, 0, {.dx = std::nan("")}), InvalidArgument);
  EXPECT_THROW(shift_images(source, std::vector<ImageShift>(4)), InvalidArgument);
  EXPECT_THROW(shift_images(at::Tensor(), {}), InvalidArgument);
}

}  // namespace
}  // namespace tandem::kernels
