#include "tandem/layers/einsum_dense.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/regularizers.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

static_assert(std::is_aggregate_v<EinsumDenseOptions>);

TEST(EinsumDense, MatchesKeras) { EXPECT_EQ(check_cases("einsum_dense_"), 8); }

TEST(EinsumDense, MadeByHandMatchesKeras) {
  expect_matches(EinsumDense("abc,cde->abde", {-1, 2, 5}, {.bias_axes = "de"}), KerasCase("einsum_dense_heads"));
  expect_matches(EinsumDense("...x,xy->...y", {5}, {.bias_axes = "y"}), KerasCase("einsum_dense_dots_left"));
  expect_matches(EinsumDense("ab,bc->ac", {5},
                             {.bias_axes = "c",
                              .kernel_regularizer = regularizers::L2(0.1),
                              .bias_regularizer = regularizers::L1(0.2),
                              .kernel_constraint = "non_neg"}),
                 KerasCase("einsum_dense_regularized"));
}

// Glorot's limit is sqrt(6 / (fan_in + fan_out)): 50 inputs, 4 * 30 outputs, as Keras counts them by the equation.
TEST(EinsumDense, FansFollowTheEquation) {
  EinsumDense layer("abc,cde->abde", {-1, 4, 30});
  layer(Input({3, 50}));
  EXPECT_NEAR(layer.weights()[0].value().abs().max().item<double>(), std::sqrt(6.0 / 170), 0.002);
}

TEST(EinsumDense, ShapesOfAGraph) {
  EinsumDense layer("abc,cd->abd", {-1, 7});
  EXPECT_EQ(layer(Input({-1, 4})).shape(), (Shape{-1, -1, 7}));
  EXPECT_EQ(layer.weights()[0].shape(), (Shape{4, 7}));
  EXPECT_EQ(EinsumDense("ab...,bc->ac...", {7})(Input({4, 2, 3})).shape(), (Shape{-1, 7, 2, 3}));
  EXPECT_EQ(layer(at::empty({0, 3, 4})).sizes(), (std::vector<int64_t>{0, 3, 7}));
}

TEST(EinsumDense, RefusesWhatCannotWork) {
  for (const char* wrong : {"ab", "ab,bc", "a b,bc->ac", "...ab,bc->ac", "ab->ac,bc", ",b->b"}) {
    expect_refused([&] { EinsumDense(wrong, {3}); }, {"EinsumDense", "equation", wrong});
  }
  expect_refused([] { EinsumDense("ab,bc->ad", {3}); }, {"'d'", "output"});
  expect_refused([] { EinsumDense("ab,bcd->ac", {3}); }, {"'d'", "kernel"});
  expect_refused([] { EinsumDense("ab,bc->ac", {3}, {.bias_axes = "b"}); }, {"bias_axes", "'b'"});
  expect_refused([] { EinsumDense("ab,bc->ac", {3}, {.name = "e"})(Input({3, 4})); }, {"'e'", "(None, 3, 4)"});
  expect_refused(
      [] {
        EinsumDense("ab,bc->ac", {3, 4}, {.name = "e"})(Input({3}));
      },
      {"'e'", "output_shape", "(3, 4)"});
  expect_refused([] { EinsumDense("ab,bc->ac", {-1}, {.name = "e"})(Input({3})); }, {"'e'", "known size"});
  expect_refused([] { EinsumDense("abc,cd->abd", {5, 7}, {.name = "e"})(Input({3, 4})); }, {"'e'", "size 5", "'b'"});
  EinsumDense built("abc,cd->abd", {-1, 7}, {.name = "e"});
  built(Input({-1, 4}));
  expect_refused([&] { built(at::ones({2, 3, 5})); }, {"'e'", "(4, 7)", "(2, 3, 5)"});
}

}  // namespace
}  // namespace tandem::layers
