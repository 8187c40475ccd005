#include "tandem/layers/separable_conv2d.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/constraints.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/regularizers.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

static_assert(std::is_aggregate_v<SeparableConv2DOptions>);

TEST(SeparableConv2D, MatchesKeras) { EXPECT_EQ(check_cases("separable_conv2d_"), 11); }

TEST(SeparableConv2D, MadeByHandMatchesKeras) {
  expect_matches(SeparableConv2D(3, {3, 2}, {.strides = 2, .padding = "same", .depth_multiplier = 2}),
                 KerasCase("separable_conv2d_same_s2_m2"));
  expect_matches(SeparableConv2D(3, 3,
                                 {.depth_multiplier = 2,
                                  .depthwise_initializer = "he_normal",
                                  .pointwise_initializer = "orthogonal",
                                  .depthwise_regularizer = regularizers::L2(0.02),
                                  .pointwise_regularizer = regularizers::L1L2({.l1 = 0.01, .l2 = 0.03}),
                                  .bias_regularizer = regularizers::L1(0.03),
                                  .activity_regularizer = regularizers::L2(0.01),
                                  .depthwise_constraint = constraints::MaxNorm({.max_value = 1, .axis = {0, 1}}),
                                  .pointwise_constraint = "unit_norm",
                                  .bias_constraint = "non_neg"}),
                 KerasCase("separable_conv2d_constrained"));
}

TEST(SeparableConv2D, ShapesOfAGraph) {
  const SeparableConv2D layer(8, {3, 2}, {.depth_multiplier = 4, .name = "s"});
  EXPECT_EQ(layer(Input({5, -1, 3})).shape(), (Shape{-1, 3, -1, 8}));
  EXPECT_EQ(layer.weights()[0].shape(), (Shape{3, 2, 3, 4}));
  EXPECT_EQ(layer.weights()[1].shape(), (Shape{1, 1, 12, 8}));
  EXPECT_EQ(layer.weights()[2].shape(), (Shape{8}));
}

TEST(SeparableConv2D, RefusesWhatCannotWork) {
  expect_refused([] { SeparableConv2D(0, 3); }, {"SeparableConv2D", "filters", "0"});
  expect_refused([] { SeparableConv2D(2, 3, {.depth_multiplier = -1}); }, {"depth_multiplier", "-1"});
  expect_refused([] { SeparableConv2D(2, 3, {.dilation_rate = 0}); }, {"dilation_rate", "0"});
  expect_refused([] { SeparableConv2D(2, 3, {.name = "s"})(Input({8, 8})); }, {"'s'", "rank 4"});
  expect_refused([] { SeparableConv2D(2, 3, {.name = "s"})(Input({2, 8, 3})); }, {"'s'", "kernel (3, 3)"});
}

}  // namespace
}  // namespace tandem::layers
