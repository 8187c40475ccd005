#include "tandem/layers/conv2d.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/layers/constraints.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/regularizers.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

static_assert(std::is_aggregate_v<Conv2DOptions>);

TEST(Conv2D, MatchesKeras) { EXPECT_EQ(check_cases("conv2d_"), 36); }

TEST(Conv2D, MadeByHandMatchesKeras) {
  expect_matches(Conv2D(4, {3, 3}, {.padding = "same", .activation = "relu"}), KerasCase("conv2d_relu"));
  expect_matches(Conv2D(4, 3, {.use_bias = false}), KerasCase("conv2d_no_bias"));
  expect_matches(Conv2D(4, 3, {.kernel_regularizer = regularizers::L2(0.05)}), KerasCase("conv2d_l2"));
  expect_matches(Conv2D(4, 3, {.strides = {2, 1}, .padding = "same"}), KerasCase("conv2d_same_strides_2_1"));
  expect_matches(Conv2D(4, 3, {.padding = "same", .groups = 2}), KerasCase("conv2d_groups2"));
  expect_matches(Conv2D(3, 2,
                        {.activation = "relu",
                         .bias_regularizer = regularizers::L1(0.02),
                         .activity_regularizer = regularizers::L2(0.03),
                         .kernel_constraint = constraints::MaxNorm({.max_value = 1.2, .axis = {0, 1, 2}}),
                         .bias_constraint = constraints::NonNeg()}),
                 KerasCase("conv2d_constrained"));
  const int stride = 2;
  expect_matches(Conv2D(3, {3, 3}, {.strides = stride}), KerasCase("conv2d_valid_s2_k33_7x8"));
}

TEST(Conv2D, OutputIsContiguousForAnySizes) {
  // One channel, one filter and one pixel leave the layout of a tensor open to interpretation.
  for (int64_t channels : {1, 3}) {
    for (int64_t filters : {1, 4}) {
      for (int64_t size : {1, 5}) {
        for (int64_t rows : {0, 1, 3}) {
          for (auto type : {at::kFloat, at::kDouble}) {
            Conv2D layer(filters, 3, {.padding = "same"});
            layer->ensure_built({{-1, size, size, channels}});
            for (const auto& w : layer.weights()) w.variable().value = w.value().to(type);
            const Tensor out = layer(at::randn({rows, size, size, channels}, type));
            EXPECT_TRUE(out.is_contiguous());
            EXPECT_EQ(out.sizes(), (std::vector<int64_t>{rows, size, size, filters}));
          }
        }
      }
    }
  }
}

TEST(Conv2D, TakesInputsInAnyLayout) {
  Conv2D layer(4, 3);
  const Tensor x = at::randn({2, 3, 6, 5}).permute({0, 2, 3, 1});
  EXPECT_TRUE(at::allclose(layer(x), layer(x.contiguous())));
  EXPECT_TRUE(layer(x).is_contiguous());
}

TEST(Conv2D, ShapesOfAGraph) {
  EXPECT_EQ(Conv2D(8, 3)(Input({32, 30, 3})).shape(), (Shape{-1, 30, 28, 8}));
  EXPECT_EQ(Conv2D(8, 3, {.strides = 2, .padding = "same"})(Input({31, -1, 3})).shape(), (Shape{-1, 16, -1, 8}));
  Conv2D layer(8, {3, 2});
  layer(Input({5, 5, 3}));
  EXPECT_EQ(layer.weights()[0].shape(), (Shape{3, 2, 3, 8}));
  EXPECT_TRUE(layer.weights()[0].value().permute({3, 0, 1, 2}).is_contiguous());
}

TEST(Conv2D, RefusesWhatCannotWork) {
  expect_refused([] { Conv2D(0, 3); }, {"Conv2D", "filters", "0"});
  expect_refused([] { Conv2D(4, {3, 0}); }, {"Conv2D", "kernel_size", "0"});
  expect_refused([] { Conv2D(4, 3, {.strides = -1}); }, {"strides", "-1"});
  expect_refused([] { Conv2D(4, 3, {.padding = "sane"}); }, {"padding", "sane", "same"});
  expect_refused([] { Conv2D(4, 3, {.groups = 3}); }, {"groups", "3", "4"});
  expect_refused([] { Conv2D(4, 3, {.strides = 2, .dilation_rate = 2}); }, {"strides", "dilation_rate"});
  expect_refused([] { Conv2D(4, 3, {.groups = 2})(Input({8, 8, 3})); }, {"groups", "(None, 8, 8, 3)"});
  expect_refused([] { Conv2D(4, 3, {.name = "c"})(Input({8, 8})); }, {"'c'", "rank 4", "(None, 8, 8)"});
  expect_refused([] { Conv2D(4, 3, {.name = "c"})(Input({8, 8, -1})); }, {"'c'", "channels", "(None, 8, 8, None)"});
  expect_refused(
      [] {
        Conv2D(4, {5, 3}, {.name = "c"})(Input({4, 8, 3}));
      },
      {"'c'", "kernel (5, 3)", "(None, 4, 8, 3)"});
  Conv2D built(4, {5, 3}, {.name = "c"});
  built(Input({-1, -1, 3}));
  expect_refused([&] { built(at::ones({2, 8, 8, 4})); }, {"'c'", "3", "(2, 8, 8, 4)"});
  expect_refused([&] { built(at::ones({2, 4, 8, 3})); }, {"'c'", "kernel (5, 3)", "(2, 4, 8, 3)"});
  expect_refused([&] { built(Input({8, 8, 2})); }, {"'c'", "3", "(None, 8, 8, 2)"});
}

// Of few rows on one thread it runs as a matrix product, else as a convolution: the same numbers and gradients.
TEST(Conv2D, PointwiseIsTheSameAsAProductAndAsAConvolution) {
  Conv2D layer(5, {1, 1});
  const Tensor x = RandomStream(1).normal({8, 6, 7, 3}), r = RandomStream(2).normal({8, 6, 7, 5});
  const int threads = at::get_num_threads();
  const auto run = [&](int n) {
    at::set_num_threads(n);
    const Tensor input = x.clone().requires_grad_(true);
    const Tensor out = layer(input);
    const auto kernel = layer.weights()[0].variable().value.requires_grad_(true);
    kernel.mutable_grad() = Tensor();
    (layer(input) * r).sum().backward();
    at::set_num_threads(threads);
    return std::vector<Tensor>{out.detach(), input.grad(), kernel.grad().clone()};
  };
  const auto product = run(1), convolution = run(2);
  for (std::size_t i = 0; i < product.size(); ++i) {
    EXPECT_TRUE(at::allclose(product[i], convolution[i], 1e-5, 1e-6)) << i;
  }
  const Tensor kernel = layer.weights()[0].value().detach()[0][0];  // (in, out)
  EXPECT_TRUE(at::allclose(product[0], at::matmul(x, kernel), 1e-5, 1e-6));
}

}  // namespace
}  // namespace tandem::layers
