#include "tandem/kernels/image_warp.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/kernels/image_values.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/npy.h"

namespace tandem::kernels {
namespace {

constexpr std::array kFillModes = {FillMode::nearest, FillMode::constant, FillMode::reflect, FillMode::wrap};

template <class T>
at::Tensor warped(const at::Tensor& image, const AffineMap& map, const Fill& fill = {}) {
  at::Tensor out = at::full_like(image, std::numeric_limits<float>::quiet_NaN(), at::kFloat);
  const ImageSize size{.height = image.size(0), .width = image.size(1), .channels = image.size(2)};
  warp_image(image.const_data_ptr<T>(), out.mutable_data_ptr<float>(), size, map, fill);
  return out;
}

// Each row of calls: theta, tx, ty, shear, zx, zy, the fill mode's number, cval.
void compare_with_keras(const std::string& name) {
  const auto file = [&](const char* what) {
    return testing::load_npy(testing::fixture("keras/augmentation/" + name + "/" + what + ".npy"));
  };
  const at::Tensor x = file("x"), calls = file("calls"), wanted = file("output");
  const ImageSize size{.height = x.size(0), .width = x.size(1), .channels = x.size(2)};
  for (int64_t i = 0; i < calls.size(0); ++i) {
    const auto at = [&](int64_t k) { return calls[i][k].item<double>(); };
    const AffineParameters parameters{at(0), at(1), at(2), at(3), at(4), at(5)};
    const Fill fill{.mode = kFillModes.at(static_cast<std::size_t>(at(6))), .value = calls[i][7].item<float>()};
    const AffineMap map = affine_map(parameters, keras_middle(size));
    EXPECT_EQ(testing::difference(warped<float>(x, map, fill), wanted[i], 1e-5), "") << name << " call " << i;
  }
}

TEST(ImageWarp, AsKerasOnSquareImages) { compare_with_keras("affine_square"); }
TEST(ImageWarp, AsKerasOnWideImages) { compare_with_keras("affine_wide"); }

// Each row of calls: the six parameters, the channel shift, horizontal and vertical flip, the fill mode's number, cval.
TEST(ImageWarp, WithFlipsAndChannelShiftAsKerasGenerator) {
  const auto file = [&](const std::string& what) {
    return testing::load_npy(testing::fixture("keras/augmentation/generator/" + what + ".npy"));
  };
  const at::Tensor x = file("x"), calls = file("calls"), wanted = file("output");
  const ImageSize size{.height = x.size(0), .width = x.size(1), .channels = x.size(2)};
  for (int64_t i = 0; i < calls.size(0); ++i) {
    const auto at = [&](int64_t k) { return calls[i][k].item<double>(); };
    AffineMap map = affine_map({at(0), at(1), at(2), at(3), at(4), at(5)}, keras_middle(size));
    if (at(7) != 0) map = map.then(mirror_map(size));
    if (at(8) != 0) map = map.then(turn_over_map(size));
    at::Tensor image = warped<float>(
        x, map, {.mode = kFillModes.at(static_cast<std::size_t>(at(9))), .value = calls[i][10].item<float>()});
    shift_values(image.mutable_data_ptr<float>(), size.count(), calls[i][6].item<float>());
    EXPECT_EQ(testing::difference(image, wanted[i], 1e-5), "") << "call " << i;
  }
}

// Where a right angle takes the pixels is known without any arithmetic.
TEST(ImageWarp, ARightAngleAboutTheMiddle) {
  const at::Tensor x = at::arange(5 * 5 * 3, at::kFloat).reshape({5, 5, 3});
  const AffineMap map = affine_map({.theta = 90}, image_middle({5, 5, 3}));
  EXPECT_TRUE(at::allclose(warped<float>(x, map), at::rot90(x, -1, {1, 0}), 0, 1e-4));
  const at::Tensor wide = at::arange(4 * 7, at::kFloat).reshape({4, 7, 1});
  const AffineMap half_turn = affine_map({.theta = 180}, image_middle({4, 7, 1}));
  EXPECT_TRUE(at::allclose(warped<float>(wide, half_turn), wide.flip({0, 1}), 0, 1e-4));
}

TEST(ImageWarp, BytesGiveTheSameAsFloats) {
  for (const int64_t channels : {1, 2, 3, 4}) {
    const ImageSize size{9, 8, channels};
    const at::Tensor bytes = at::randint(256, {9, 8, channels}, at::kByte);
    for (const auto& parameters : {AffineParameters{.theta = 25, .zx = 1.2}, AffineParameters{.tx = 1.5, .ty = -2}}) {
      const AffineMap map = affine_map(parameters, image_middle(size));
      EXPECT_TRUE(at::allclose(warped<uint8_t>(bytes, map), warped<float>(bytes.to(at::kFloat), map), 0, 1e-4));
    }
  }
}

TEST(ImageWarp, ShiftsAndFlipsMoveWholePixelsExactly) {
  const ImageSize size{6, 7, 3};
  const at::Tensor x = at::rand({6, 7, 3});
  EXPECT_TRUE(at::equal(warped<float>(x, {}), x));
  EXPECT_TRUE(at::equal(warped<float>(x, mirror_map(size)), x.flip(1)));
  EXPECT_TRUE(at::equal(warped<float>(x, turn_over_map(size)), x.flip(0)));
  EXPECT_TRUE(at::equal(warped<float>(x, mirror_map(size).then(turn_over_map(size))), x.flip({0, 1})));
  const AffineMap shift = affine_map({.tx = 2, .ty = -1}, image_middle(size));
  const at::Tensor lines = at::tensor({0, 0, 1, 2, 3, 4}, at::kLong),
                   columns = at::tensor({2, 3, 4, 5, 6, 6, 6}, at::kLong);
  const at::Tensor shifted = x.index_select(0, lines).index_select(1, columns);
  EXPECT_TRUE(at::equal(warped<float>(x, shift), shifted));
  EXPECT_TRUE(
      at::equal(warped<float>(x, shift.then(mirror_map(size)).then(turn_over_map(size))), shifted.flip({0, 1})));
  EXPECT_TRUE(at::equal(warped<float>(x, mirror_map(size).then(shift)),
                        x.flip(1).index_select(0, lines).index_select(1, columns)));
}

TEST(ImageWarp, ThenIsOneAfterTheOther) {
  const ImageSize size{8, 8, 1};
  const AffineMap first = affine_map({.theta = 20, .tx = 1.5}, image_middle(size)),
                  second = affine_map({.shear = -15, .zx = 0.7, .zy = 1.4}, image_middle(size));
  const auto apply = [](const AffineMap& map, ImagePoint p) {
    return ImagePoint{.line = map.yy * p.line + map.yx * p.column + map.y,
                      .column = map.xy * p.line + map.xx * p.column + map.x};
  };
  const ImagePoint apart = apply(first, apply(second, {2, 5})), together = apply(first.then(second), {2, 5});
  EXPECT_NEAR(together.line, apart.line, 1e-12);
  EXPECT_NEAR(together.column, apart.column, 1e-12);
}

TEST(ImageWarp, RefusesMapsThatLeadNowhere) {
  const at::Tensor x = at::rand({4, 4, 1});
  EXPECT_THROW(warped<float>(x, {.y = std::nan("")}), InvalidArgument);
  EXPECT_THROW(warped<float>(x, {.xy = std::numeric_limits<double>::infinity()}), InvalidArgument);
  EXPECT_THROW(warped<float>(x, {.xx = 1e9}), InvalidArgument);
}

}  // namespace
}  // namespace tandem::kernels
