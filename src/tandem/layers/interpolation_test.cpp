#include "tandem/layers/interpolation.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tandem/layers/catalog.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/resizing.h"
#include "tandem/layers/up_sampling1d.h"
#include "tandem/layers/up_sampling2d.h"
#include "tandem/layers/up_sampling3d.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

static_assert(std::is_aggregate_v<ResizingOptions> && std::is_aggregate_v<UpSampling2DOptions>);

TEST(UpSampling2D, MatchesKeras) { EXPECT_EQ(check_cases("up_sampling2d_"), 7); }
TEST(Resizing, MatchesKeras) { EXPECT_EQ(check_cases("resizing_"), 2 * (6 + 12)); }

TEST(UpSampling1D, MatchesKeras) {
  EXPECT_EQ(check_cases("up_sampling1d_"), 2);
  expect_matches(UpSampling1D(3), KerasCase("up_sampling1d_3"));
  expect_refused([] { UpSampling1D(0); }, {"UpSampling1D", "size", "0"});
  expect_refused([] { UpSampling1D(2, {.name = "u"})(Input({4})); }, {"'u'", "rank 3", "(None, 4)"});
}

TEST(UpSampling3D, MatchesKeras) {
  EXPECT_EQ(check_cases("up_sampling3d_"), 2);
  expect_matches(UpSampling3D({1, 2, 3}), KerasCase("up_sampling3d_123"));
  EXPECT_EQ(UpSampling3D({2})(Input({2, -1, 4, 5})).shape(), (Shape{-1, 4, -1, 8, 5}));
  expect_refused([] { UpSampling3D({1, 0, 1}); }, {"UpSampling3D", "size", "0"});
}

TEST(UpSampling2D, MadeByHandMatchesKeras) {
  expect_matches(UpSampling2D(), KerasCase("up_sampling2d_default"));
  expect_matches(UpSampling2D({2, 3}), KerasCase("up_sampling2d_nearest_23"));
  expect_matches(UpSampling2D({3}, {.interpolation = "bilinear"}), KerasCase("up_sampling2d_bilinear_3"));
}

TEST(Resizing, MadeByHandMatchesKeras) {
  expect_matches(Resizing(7, 10), KerasCase("resizing_bilinear_7x10"));
  expect_matches(Resizing(3, 2, {.interpolation = "nearest"}), KerasCase("resizing_nearest_3x2"));
  expect_matches(Resizing(3, 7, {.pad_to_aspect_ratio = true, .fill_value = 0.5}),
                 KerasCase("resizing_bilinear_pad_5x8_3x7"));
}

TEST(UpSampling2D, NearestRepeatsEachPixelForAnyFactor) {
  for (int64_t n : {1, 2, 3, 5}) {
    for (int64_t factor = 1; factor <= 130; ++factor) {
      const Tensor x = at::arange(n, at::kFloat).view({1, n, 1, 1});
      const Tensor out = UpSampling2D({factor, 1})(x);
      EXPECT_TRUE(at::equal(out.flatten(), x.flatten().repeat_interleave(factor))) << n << " " << factor;
    }
  }
}

TEST(Resizing, NearestTakesThePixelAtTheCentreForAnySizes) {
  for (int64_t from = 1; from <= 40; ++from) {
    const Tensor x = at::arange(from, at::kFloat).view({1, 1, from, 1});
    for (int64_t to = 1; to <= 40; ++to) {
      const Tensor out = Resizing(1, to, {.interpolation = "nearest"})(x).flatten();
      // TensorFlow computes in float32, where a centre that falls between two pixels may round either way.
      const float scale = static_cast<float>(from) / static_cast<float>(to);
      for (int64_t i = 0; i < to; ++i) {
        const auto at = static_cast<int64_t>(std::floor((static_cast<float>(i) + 0.5F) * scale));
        ASSERT_EQ(out[i].item<float>(), static_cast<float>(std::min(at, from - 1))) << from << " to " << to;
      }
    }
  }
}

TEST(Resizing, TheSameSizeMeansTheSameTensor) {
  const Tensor x = at::randn({2, 5, 4, 3});
  for (const char* how : {"nearest", "bilinear"}) {
    EXPECT_EQ(Resizing(5, 4, {.interpolation = how})(x).data_ptr(), x.data_ptr());
    EXPECT_EQ(UpSampling2D(1, {.interpolation = how})(x).data_ptr(), x.data_ptr());
  }
}

TEST(Resizing, WholeNumbersStayWholeNumbers) {
  const Tensor x = at::randint(0, 256, {1, 4, 6, 3}, at::kByte);
  const Tensor out = Resizing(7, 3)(x);
  EXPECT_EQ(out.scalar_type(), at::kByte);
  EXPECT_TRUE(at::equal(out, Resizing(7, 3)(x.to(at::kFloat)).round().to(at::kByte)));
}

TEST(Resizing, OneRowAndNone) {
  for (const char* how : {"nearest", "bilinear"}) {
    for (int64_t rows : {0, 1}) {
      for (const bool crop : {false, true}) {
        const Tensor x = at::ones({rows, 3, 6, 2}).requires_grad_(true);
        const Tensor out =
            Resizing(5, 4, {.interpolation = how, .crop_to_aspect_ratio = crop, .pad_to_aspect_ratio = !crop})(x);
        EXPECT_EQ(out.sizes(), (std::vector<int64_t>{rows, 5, 4, 2}));
        EXPECT_TRUE(out.is_contiguous());
        out.sum().backward();
        EXPECT_EQ(x.grad().sizes(), x.sizes());
      }
    }
  }
}

TEST(Interpolation, ShapesOfAGraph) {
  EXPECT_EQ(UpSampling2D({2, 3})(Input({4, -1, 3})).shape(), (Shape{-1, 8, -1, 3}));
  EXPECT_EQ(Resizing(8, 9)(Input({-1, -1, 3})).shape(), (Shape{-1, 8, 9, 3}));
}

TEST(Interpolation, RefusesWhatCannotWork) {
  expect_refused([] { UpSampling2D(0); }, {"UpSampling2D", "size", "0"});
  expect_refused([] { UpSampling2D({1, 2, 3}); }, {"UpSampling2D", "one or two", "3"});
  expect_refused([] { UpSampling2D(2, {.interpolation = "nearst"}); }, {"interpolation", "nearst", "nearest"});
  expect_refused([] { UpSampling2D(2, {.interpolation = "bicubic"}); }, {"UpSampling2D", "bicubic", "not supported"});
  expect_refused([] { UpSampling2D(2, {.name = "u"})(Input({4, 5})); }, {"'u'", "rank 4", "(None, 4, 5)"});
  expect_refused([] { Resizing(0, 3); }, {"Resizing", "positive", "0 and 3"});
  expect_refused([] { Resizing(3, 3, {.interpolation = "lanczos3"}); }, {"Resizing", "lanczos3", "not supported"});
  expect_refused([] { Resizing(3, 3, {.crop_to_aspect_ratio = true, .pad_to_aspect_ratio = true}); },
                 {"crop_to_aspect_ratio", "pad_to_aspect_ratio", "both"});
  expect_refused([] { Resizing(3, 3, {.fill_mode = "reflect"}); }, {"fill_mode", "constant", "reflect"});
  expect_refused([] { Resizing(3, 3, {.antialias = true}); }, {"Resizing", "antialias", "not supported"});
  expect_refused([] { Resizing(3, 3, {.name = "r"})(Input({4, 5})); }, {"'r'", "rank 4", "(None, 4, 5)"});
  Resizing built(3, 3, {.name = "r"});
  built(Input({4, 5, 1}));
  expect_refused([&] { built(at::ones({4, 5, 1})); }, {"'r'", "rank 4", "(4, 5, 1)"});
}

}  // namespace
}  // namespace tandem::layers
