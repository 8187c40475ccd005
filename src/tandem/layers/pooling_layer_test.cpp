#include "tandem/layers/pooling_layer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/average_pooling1d.h"
#include "tandem/layers/average_pooling2d.h"
#include "tandem/layers/average_pooling3d.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/max_pooling1d.h"
#include "tandem/layers/max_pooling2d.h"
#include "tandem/layers/max_pooling3d.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

static_assert(std::is_aggregate_v<MaxPooling2DOptions> && std::is_aggregate_v<AveragePooling2DOptions>);

TEST(MaxPooling2D, MatchesKeras) { EXPECT_EQ(check_cases("max_pooling2d_"), 14); }
TEST(AveragePooling2D, MatchesKeras) { EXPECT_EQ(check_cases("average_pooling2d_"), 14); }

TEST(PoolingLayer, OfStepsAndVolumesMatchesKeras) {
  EXPECT_EQ(check_cases("max_pooling1d_"), 10);
  EXPECT_EQ(check_cases("average_pooling1d_"), 10);
  EXPECT_EQ(check_cases("max_pooling3d_"), 11);
  EXPECT_EQ(check_cases("average_pooling3d_"), 11);
}

TEST(PoolingLayer, OfStepsAndVolumesMadeByHandMatchesKeras) {
  expect_matches(MaxPooling1D(3, {.strides = 2, .padding = "same"}), KerasCase("max_pooling1d_same_k3_s2"));
  expect_matches(AveragePooling1D(), KerasCase("average_pooling1d_valid_k2_sNone"));
  expect_matches(MaxPooling3D(), KerasCase("max_pooling3d_valid_k2_sNone"));
  expect_matches(AveragePooling3D({1, 2, 3}, {.strides = {2, 1, 3}, .padding = "same"}),
                 KerasCase("average_pooling3d_by_axis"));
  EXPECT_EQ(MaxPooling1D({2})(Input({7, 3})).shape(), (Shape{-1, 3, 3}));
  EXPECT_EQ(AveragePooling3D({2})(Input({7, -1, 2, 3})).shape(), (Shape{-1, 3, -1, 1, 3}));
  EXPECT_EQ(MaxPooling3D({1, 2, 3})(Input({7, 7, 7, 3})).shape(), (Shape{-1, 7, 3, 2, 3}));
}

TEST(MaxPooling2D, MadeByHandMatchesKeras) {
  expect_matches(MaxPooling2D(), KerasCase("max_pooling2d_default"));
  expect_matches(MaxPooling2D({2}, {.strides = 3}), KerasCase("max_pooling2d_valid_k2_s3"));
  expect_matches(MaxPooling2D({3, 3}, {.strides = {2, 2}}), KerasCase("max_pooling2d_valid_k3_s2"));
  expect_matches(MaxPooling2D({3, 2}, {.padding = "same"}), KerasCase("max_pooling2d_k3_no_strides"));
  for (const auto& layer : {MaxPooling2D(2), MaxPooling2D({2}), MaxPooling2D({2, 2})}) {
    EXPECT_EQ(layer(Input({7, 6, 3})).shape(), (Shape{-1, 3, 3, 3}));
  }
}

TEST(AveragePooling2D, MadeByHandMatchesKeras) {
  expect_matches(AveragePooling2D(7), KerasCase("average_pooling2d_k7"));
  expect_matches(AveragePooling2D({2, 2}, {.strides = 1, .padding = "same"}),
                 KerasCase("average_pooling2d_same_k2_s1"));
}

TEST(MaxPooling2D, PaddingNeverWins) {
  const Tensor x = at::full({1, 3, 3, 1}, -5.F);
  for (int64_t stride : {1, 2}) {
    EXPECT_TRUE(at::all(MaxPooling2D(2, {.strides = stride, .padding = "same"})(x) == -5).item<bool>());
  }
}

TEST(MaxPooling2D, SamePaddingOnWideImagesAgreesWithItsDefinition) {
  // Each output is the largest value of its window, whatever part of it lies outside.
  for (int64_t n : {4, 5, 6, 7, 9}) {
    for (int64_t size : {1, 2, 3, 4}) {
      for (int64_t stride : {1, 2, 3, 5}) {
        const Tensor x = at::randn({1, n, 1, 1});
        const Tensor out = MaxPooling2D({size, 1}, {.strides = {stride, 1}, .padding = "same"})(x);
        const Window window = {.size = size, .stride = stride};
        ASSERT_EQ(out.size(1), (n + stride - 1) / stride);
        for (int64_t i = 0; i < out.size(1); ++i) {
          const int64_t first = i * stride - window.padding(n, Padding::same).before;
          const Tensor seen = x.slice(1, std::max<int64_t>(first, 0), std::min(first + size, n));
          EXPECT_EQ(out.select(1, i).item<float>(), seen.max().item<float>()) << n << " " << size << " " << stride;
        }
      }
    }
  }
}

TEST(PoolingLayer, NoRows) {
  for (const char* padding : {"valid", "same"}) {
    const Tensor x = at::empty({0, 6, 5, 3}).requires_grad_(true);
    for (const auto& out : {MaxPooling2D(2, {.padding = padding})(x), AveragePooling2D(2, {.padding = padding})(x)}) {
      EXPECT_EQ(out.sizes(), (std::vector<int64_t>{0, 3, padding == std::string("same") ? 3 : 2, 3}));
      out.sum().backward();
    }
    EXPECT_EQ(x.grad().sizes(), x.sizes());
  }
}

TEST(PoolingLayer, RefusesWhatCannotWork) {
  expect_refused([] { MaxPooling2D(0); }, {"MaxPooling2D", "pool_size", "0"});
  expect_refused([] { AveragePooling2D(2, {.strides = 0}); }, {"AveragePooling2D", "strides", "0"});
  expect_refused([] { MaxPooling2D({1, 2, 3}); }, {"MaxPooling2D", "one or two", "3"});
  expect_refused([] { MaxPooling2D(2, {.padding = "vald"}); }, {"padding", "vald", "valid"});
  expect_refused([] { MaxPooling2D(5, {.name = "p"})(Input({4, 8, 3})); }, {"'p'", "pool (5, 5)", "(None, 4, 8, 3)"});
  expect_refused([] { MaxPooling2D(5, {.name = "p"})(Input({4})); }, {"'p'", "rank 4", "(None, 4)"});
  expect_refused([] { MaxPooling1D(5, {.name = "p"})(Input({4, 3})); }, {"'p'", "pool (5,)", "(None, 4, 3)"});
  expect_refused([] { AveragePooling3D(2, {.name = "p"})(Input({4, 4, 3})); }, {"'p'", "rank 5", "(None, 4, 4, 3)"});
  expect_refused([] { MaxPooling1D({1, 2}); }, {"MaxPooling1D", "one number", "2"});
  MaxPooling2D built(5, {.name = "p"});
  built(Input({-1, -1, 3}));
  expect_refused([&] { built(at::ones({1, 8, 4, 3})); }, {"'p'", "pool (5, 5)", "(1, 8, 4, 3)"});
  expect_refused([&] { built(at::ones({1, 8})); }, {"'p'", "rank 4", "(1, 8)"});
}

}  // namespace
}  // namespace tandem::layers
