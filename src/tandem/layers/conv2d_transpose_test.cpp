#include "tandem/layers/conv2d_transpose.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/layers/constraints.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/regularizers.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

static_assert(std::is_aggregate_v<Conv2DTransposeOptions>);

TEST(Conv2DTranspose, MatchesKeras) { EXPECT_EQ(check_cases("transposed_conv2d_"), 26); }

TEST(Conv2DTranspose, MadeByHandMatchesKeras) {
  expect_matches(Conv2DTranspose(2, 3, {.strides = {2, 3}, .padding = "same"}),
                 KerasCase("transposed_conv2d_same_strides_2_3"));
  expect_matches(Conv2DTranspose(2, {3, 4}, {.strides = 3, .padding = "same", .output_padding = {2, 1}}),
                 KerasCase("transposed_conv2d_same_s3_padding_2_1"));
  expect_matches(Conv2DTranspose(2, 3, {.strides = 2, .padding = "same", .activation = "relu", .use_bias = false}),
                 KerasCase("transposed_conv2d_no_bias_relu"));
  expect_matches(Conv2DTranspose(2, 2,
                                 {.kernel_regularizer = regularizers::L2(0.02),
                                  .bias_regularizer = regularizers::L1(0.03),
                                  .activity_regularizer = regularizers::L2(0.01),
                                  .kernel_constraint = constraints::UnitNorm({.axis = {0, 1, 3}}),
                                  .bias_constraint = "max_norm"}),
                 KerasCase("transposed_conv2d_constrained"));
}

// sum(conv(y) * x) = sum(y * transposed(x)) for the convolution with the same kernel. Keras on a CPU cannot tell: it
// has no transposed convolution with dilation there.
TEST(Conv2DTranspose, WithDilationIsTheGradientOfTheConvolution) {
  for (const char* padding : {"valid", "same"}) {
    SCOPED_TRACE(padding);
    const Size2D kernel_size = {2, 3}, dilation = {3, 2};
    Conv2DTranspose transposed(2, kernel_size, {.padding = padding, .dilation_rate = dilation, .use_bias = false});
    Conv2D convolution(3, kernel_size, {.padding = padding, .dilation_rate = dilation, .use_bias = false});
    const Tensor x = RandomStream(1).normal({2, 5, 4, 3});
    const Tensor out = transposed(x);
    EXPECT_EQ(transposed->output_shape({2, 5, 4, 3}), Shape::of(out.sizes().vec()));
    const Tensor y = RandomStream(2).normal(Shape::of(out.sizes().vec()));
    convolution->ensure_built({Shape::of(y.sizes().vec())});
    convolution.weights()[0].assign(transposed.weights()[0].value());
    EXPECT_NEAR((convolution(y) * x).sum().item<double>(), (y * out).sum().item<double>(), 1e-4);
  }
}

TEST(Conv2DTranspose, ShapesOfAGraph) {
  EXPECT_EQ(Conv2DTranspose(8, 3)(Input({5, 6, 3})).shape(), (Shape{-1, 7, 8, 8}));
  EXPECT_EQ(Conv2DTranspose(8, 2, {.strides = 3})(Input({5, -1, 3})).shape(), (Shape{-1, 15, -1, 8}));
  EXPECT_EQ(Conv2DTranspose(8, 3, {.strides = 2, .padding = "same"})(Input({5, 6, 3})).shape(), (Shape{-1, 10, 12, 8}));
  Conv2DTranspose layer(8, {3, 2});
  layer(Input({5, 5, 3}));
  EXPECT_EQ(layer.weights()[0].shape(), (Shape{3, 2, 8, 3}));
}

TEST(Conv2DTranspose, OutputIsContiguousForAnySizes) {
  for (int64_t channels : {1, 3}) {
    for (int64_t filters : {1, 4}) {
      for (int64_t size : {1, 5}) {
        for (int64_t rows : {0, 1, 3}) {
          Conv2DTranspose layer(filters, 3, {.strides = 2, .padding = "same"});
          const Tensor out = layer(at::randn({rows, size, size, channels}));
          EXPECT_TRUE(out.is_contiguous());
          EXPECT_EQ(out.sizes(), (std::vector<int64_t>{rows, 2 * size, 2 * size, filters}));
        }
      }
    }
  }
}

TEST(Conv2DTranspose, RefusesWhatCannotWork) {
  expect_refused([] { Conv2DTranspose(0, 3); }, {"Conv2DTranspose", "filters", "0"});
  expect_refused([] { Conv2DTranspose(4, {3, 0}); }, {"Conv2DTranspose", "kernel_size", "0"});
  expect_refused([] { Conv2DTranspose(4, 3, {.strides = 2, .output_padding = 2}); }, {"output_padding", "2"});
  expect_refused([] { Conv2DTranspose(4, 3, {.strides = 2, .output_padding = -1}); }, {"output_padding", "-1"});
  expect_refused([] { Conv2DTranspose(4, 4, {.strides = 2, .padding = "same", .output_padding = 0}); },
                 {"output_padding", "even", "4", "0"});
  expect_refused([] { Conv2DTranspose(4, 3, {.strides = 2, .dilation_rate = 2}); }, {"strides", "dilation_rate"});
  expect_refused([] { Conv2DTranspose(4, 3, {.padding = "sane"}); }, {"padding", "sane", "same"});
  expect_refused([] { Conv2DTranspose(4, 3, {.activity_regularizer = "l3"}); }, {"regularizer", "l3"});
  expect_refused([] { Conv2DTranspose(4, 3, {.name = "c"})(Input({8, 8})); }, {"'c'", "rank 4", "(None, 8, 8)"});
  Conv2DTranspose built(4, 3, {.name = "c"});
  built(Input({-1, -1, 3}));
  expect_refused([&] { built(at::ones({2, 8, 8, 4})); }, {"'c'", "3", "(2, 8, 8, 4)"});
}

}  // namespace
}  // namespace tandem::layers
