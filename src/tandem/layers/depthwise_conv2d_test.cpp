#include "tandem/layers/depthwise_conv2d.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/constraints.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/regularizers.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

static_assert(std::is_aggregate_v<DepthwiseConv2DOptions>);

TEST(DepthwiseConv2D, MatchesKeras) { EXPECT_EQ(check_cases("depthwise_conv2d_"), 25); }

TEST(DepthwiseConv2D, MadeByHandMatchesKeras) {
  expect_matches(DepthwiseConv2D({2, 3}, {.strides = 2, .padding = "same", .depth_multiplier = 2}),
                 KerasCase("depthwise_conv2d_same_s2_m2"));
  expect_matches(DepthwiseConv2D({3, 2}, {.dilation_rate = {2, 3}}), KerasCase("depthwise_conv2d_valid_dilated_2_3"));
  expect_matches(DepthwiseConv2D(2, {.depthwise_initializer = "he_normal",
                                     .depthwise_regularizer = regularizers::L2(0.02),
                                     .bias_regularizer = regularizers::L1(0.03),
                                     .activity_regularizer = regularizers::L1(0.01),
                                     .depthwise_constraint = constraints::MaxNorm({.max_value = 1, .axis = {0, 1}}),
                                     .bias_constraint = "non_neg"}),
                 KerasCase("depthwise_conv2d_constrained"));
}

TEST(DepthwiseConv2D, ShapesOfAGraph) {
  EXPECT_EQ(DepthwiseConv2D(3)(Input({5, 6, 3})).shape(), (Shape{-1, 3, 4, 3}));
  const auto strided = DepthwiseConv2D(3, {.strides = {2, 1}, .padding = "same", .depth_multiplier = 4});
  EXPECT_EQ(strided(Input({5, -1, 3})).shape(), (Shape{-1, 3, -1, 12}));
  EXPECT_EQ(strided.weights()[0].shape(), (Shape{3, 3, 3, 4}));
  EXPECT_EQ(strided.weights()[1].shape(), (Shape{12}));
}

TEST(DepthwiseConv2D, RefusesWhatCannotWork) {
  expect_refused([] { DepthwiseConv2D({3, 0}); }, {"DepthwiseConv2D", "kernel_size", "0"});
  expect_refused([] { DepthwiseConv2D(3, {.depth_multiplier = 0}); }, {"DepthwiseConv2D", "depth_multiplier", "0"});
  expect_refused([] { DepthwiseConv2D(3, {.strides = 0}); }, {"strides", "0"});
  expect_refused([] { DepthwiseConv2D(3, {.padding = "causal"}); }, {"padding", "causal"});
  expect_refused([] { DepthwiseConv2D(3, {.name = "c"})(Input({8, 8, -1})); }, {"'c'", "channels"});
  expect_refused([] { DepthwiseConv2D(3, {.name = "c"})(Input({2, 8, 3})); }, {"'c'", "kernel (3, 3)"});
}

}  // namespace
}  // namespace tandem::layers
