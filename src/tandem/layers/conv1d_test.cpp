#include "tandem/layers/conv1d.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/layers/constraints.h"
#include "tandem/layers/conv1d_transpose.h"
#include "tandem/layers/depthwise_conv1d.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/regularizers.h"
#include "tandem/layers/separable_conv1d.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

static_assert(std::is_aggregate_v<Conv1DOptions> && std::is_aggregate_v<Conv1DTransposeOptions>);

TEST(Conv1D, MatchesKeras) { EXPECT_EQ(check_cases("conv1d_"), 16); }
TEST(Conv1DTranspose, MatchesKeras) { EXPECT_EQ(check_cases("transposed_conv1d_"), 9); }
TEST(DepthwiseConv1D, MatchesKeras) { EXPECT_EQ(check_cases("depthwise_conv1d_"), 6); }
TEST(SeparableConv1D, MatchesKeras) { EXPECT_EQ(check_cases("separable_conv1d_"), 6); }

TEST(Conv1D, MadeByHandMatchesKeras) {
  expect_matches(Conv1D(4, 3, {.strides = 2, .padding = "same"}), KerasCase("conv1d_same_s2_k3"));
  expect_matches(Conv1D(4, {3}, {.padding = "causal", .dilation_rate = 2, .activation = "tanh"}),
                 KerasCase("conv1d_causal_k3_d2"));
  expect_matches(Conv1D(3, 2,
                        {.kernel_regularizer = regularizers::L2(0.05),
                         .bias_regularizer = regularizers::L1(0.02),
                         .activity_regularizer = regularizers::L2(0.03),
                         .kernel_constraint = constraints::MaxNorm({.max_value = 1.2, .axis = {0, 1}}),
                         .bias_constraint = constraints::NonNeg()}),
                 KerasCase("conv1d_constrained"));
  expect_matches(Conv1DTranspose(2, 3, {.strides = 2, .padding = "same", .output_padding = 1}),
                 KerasCase("transposed_conv1d_output_padding"));
  expect_matches(DepthwiseConv1D(3, {.strides = 2, .padding = "same", .depth_multiplier = 2}),
                 KerasCase("depthwise_conv1d_same_s2"));
  expect_matches(SeparableConv1D(4, 3, {.padding = "same", .dilation_rate = 2, .activation = "tanh"}),
                 KerasCase("separable_conv1d_dilated"));
}

// Whatever comes later, an output stays.
TEST(Conv1D, CausalSeesNoLaterStep) {
  Conv1D layer(4, 3, {.padding = "causal", .dilation_rate = 2});
  const Tensor x = RandomStream(1).normal({2, 9, 3}), out = layer(x);
  for (int64_t step = 0; step < 9; ++step) {
    Tensor changed = x.clone();
    changed.slice(1, step + 1).add_(1);
    EXPECT_TRUE(at::allclose(layer(changed).slice(1, 0, step + 1), out.slice(1, 0, step + 1), 1e-5, 1e-6)) << step;
  }
}

TEST(Conv1D, NoRowsAndOneRow) {
  for (const LayerHandle& layer :
       std::vector<LayerHandle>{Conv1D(2, 3, {.padding = "causal"}), Conv1DTranspose(2, 3, {.padding = "same"}),
                                DepthwiseConv1D(3, {.padding = "same"}), SeparableConv1D(2, 3, {.padding = "same"})}) {
    for (int64_t rows : {0, 1}) {
      const Tensor x = at::ones({rows, 5, 2}).requires_grad_(true);
      const Tensor out = layer(x);
      EXPECT_EQ(out.sizes(), (std::vector<int64_t>{rows, 5, 2})) << layer->class_name();
      EXPECT_TRUE(out.is_contiguous());
      out.sum().backward();
      EXPECT_EQ(x.grad().sizes(), x.sizes());
    }
  }
}

TEST(Conv1D, ShapesOfAGraph) {
  Conv1D layer(8, 3);
  EXPECT_EQ(layer(Input({10, 4})).shape(), (Shape{-1, 8, 8}));
  EXPECT_EQ(layer.weights()[0].shape(), (Shape{3, 4, 8}));
  EXPECT_TRUE(layer.weights()[0].value().permute({2, 0, 1}).is_contiguous());
  EXPECT_EQ(Conv1D(8, 3, {.strides = 2, .padding = "causal"})(Input({9, 4})).shape(), (Shape{-1, 5, 8}));
  EXPECT_EQ(Conv1D(8, 3, {.padding = "same"})(Input({-1, 4})).shape(), (Shape{-1, -1, 8}));
  EXPECT_EQ(Conv1DTranspose(8, 3, {.strides = 2})(Input({5, 4})).shape(), (Shape{-1, 11, 8}));
  EXPECT_EQ(DepthwiseConv1D(2, {.depth_multiplier = 3})(Input({5, 4})).shape(), (Shape{-1, 4, 12}));
}

TEST(Conv1D, RefusesWhatCannotWork) {
  expect_refused([] { Conv1D(4, 0); }, {"Conv1D", "kernel_size", "0"});
  expect_refused([] { Conv1D(4, 3, {.padding = "causl"}); }, {"Conv1D", "padding", "causl", "causal"});
  expect_refused([] { Conv1D(4, 3, {.strides = 2, .dilation_rate = 2}); }, {"strides", "dilation_rate"});
  expect_refused([] { Conv1DTranspose(4, 3, {.padding = "causal"}); }, {"Conv1DTranspose", "padding", "causal"});
  expect_refused([] { DepthwiseConv1D(3, {.padding = "causal"}); }, {"DepthwiseConv1D", "padding", "causal"});
  expect_refused([] { SeparableConv1D(2, 3, {.depth_multiplier = 0}); }, {"SeparableConv1D", "depth_multiplier", "0"});
  expect_refused([] { Conv1D(4, 3, {.name = "c"})(Input({8, 8, 3})); }, {"'c'", "rank 3", "steps", "(None, 8, 8, 3)"});
  expect_refused([] { Conv1D(4, 3, {.name = "c"})(Input({2, 3})); }, {"'c'", "kernel (3,)", "(None, 2, 3)"});
  Conv1D built(4, 3, {.name = "c"});
  built(Input({-1, 3}));
  expect_refused([&] { built(at::ones({2, 8, 4})); }, {"'c'", "(batch, steps, 3)", "(2, 8, 4)"});
}

}  // namespace
}  // namespace tandem::layers
