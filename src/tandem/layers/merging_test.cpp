#include "tandem/layers/merging.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

#include "tandem/layers/add.h"
#include "tandem/layers/average.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/maximum.h"
#include "tandem/layers/minimum.h"
#include "tandem/layers/multiply.h"
#include "tandem/layers/subtract.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

TEST(Concatenate, MatchesKeras) { EXPECT_EQ(check_cases("concatenate"), 3); }
TEST(Add, MatchesKeras) { EXPECT_EQ(check_cases("add"), 2); }
TEST(Merging, MatchesKeras) { EXPECT_EQ(check_cases("merge_"), 5 * 4 + 3); }

std::vector<LayerHandle> elementwise_merges() {
  return {Add({.name = "m"}),     Multiply({.name = "m"}), Subtract({.name = "m"}),
          Average({.name = "m"}), Maximum({.name = "m"}),  Minimum({.name = "m"})};
}

TEST(Concatenate, ShapesOfAGraph) {
  EXPECT_EQ(Concatenate()({Input({4, 2}), Input({4, 3})}).shape(), (Shape{-1, 4, 5}));
  EXPECT_EQ(Concatenate({.axis = 1})({Input({4, 2}), Input({-1, 2})}).shape(), (Shape{-1, -1, 2}));
}

TEST(Concatenate, RefusesShapesThatDiffer) {
  expect_refused(
      [] {
        Concatenate({.name = "c"})({Input({4, 2}), Input({3, 2})});
      },
      {"'c'", "(None, 4, 2)", "(None, 3, 2)"});
  expect_refused([] { Concatenate({.name = "c"})({Input({4, 2}), Input({2})}); }, {"'c'", "(None, 4, 2)", "(None, 2)"});
  expect_refused([] { Concatenate({.axis = 0, .name = "c"})({Input({4}), Input({4})}); }, {"'c'", "axis 0", "batch"});
  Concatenate built({.name = "c"});
  built({Input({-1, 2}), Input({-1, 2})});
  expect_refused([&] { built({at::ones({1, 3, 2}), at::ones({1, 4, 2})}); }, {"'c'", "(1, 3, 2)", "(1, 4, 2)"});
}

TEST(Add, RepeatsAxesOfSizeOne) {
  EXPECT_EQ(Add()({Input({4, 1}), Input({4, 3})}).shape(), (Shape{-1, 4, 3}));
  EXPECT_TRUE(at::equal(Add()({at::ones({2, 1}), at::ones({2, 3}), at::ones({2, 3})}), at::full({2, 3}, 3.F)));
}

TEST(Merging, ShapesOfAGraph) {
  for (const auto& layer : elementwise_merges()) {
    EXPECT_EQ(layer({Input({4, 1}), Input({1, 3})}).shape(), (Shape{-1, 4, 3})) << layer->class_name();
    EXPECT_EQ(layer({Input({4, 5}), Input({-1, 5})}).shape(), (Shape{-1, 4, 5}));
    EXPECT_EQ(layer({Input({-1, 1}), Input({-1, 3})}).shape(), (Shape{-1, -1, 3}));
    EXPECT_EQ(layer({Input({3}), Input({2, 4, 1})}).shape(), (Shape{-1, 2, 4, 3}));
    EXPECT_EQ(layer({Input({}), Input({4})}).shape(), (Shape{-1, 4}));
    EXPECT_EQ(layer({Input({4}, {.batch_size = 8}), Input({4})}).shape(), (Shape{8, 4}));
  }
}

TEST(Merging, OneRowAndNone) {
  for (const auto& layer : elementwise_merges()) {
    for (int64_t rows : {0, 1}) {
      EXPECT_EQ(layer({at::ones({rows, 3}), at::ones({rows, 3})}).sizes(), (std::vector<int64_t>{rows, 3}));
      const Tensor wide = layer({at::ones({rows, 2, 3}), at::ones({rows, 3})});
      EXPECT_EQ(wide.sizes(), (std::vector<int64_t>{rows, 2, 3}));
    }
  }
}

TEST(Merging, LeavesItsInputsAsTheyAre) {
  for (const auto& layer : elementwise_merges()) {
    std::vector<Tensor> inputs = {at::full({2, 3}, 2.F), at::full({2, 3}, 5.F)};
    if (layer->class_name() != "Subtract") inputs.push_back(at::full({2, 3}, 3.F));
    const Tensor out = layer(inputs);
    EXPECT_TRUE(at::equal(inputs[0], at::full({2, 3}, 2.F)) && at::equal(inputs[1], at::full({2, 3}, 5.F)));
    for (const auto& x : inputs) EXPECT_NE(out.data_ptr(), x.data_ptr()) << layer->class_name();
  }
}

// As in TensorFlow; LibTorch's own maximum would give each a half.
TEST(Merging, OfEqualValuesTheFirstGetsTheGradient) {
  for (const LayerHandle& layer : std::vector<LayerHandle>{Maximum(), Minimum()}) {
    const Tensor a = at::zeros({2, 3}).requires_grad_(true), b = at::zeros({2, 3}).requires_grad_(true);
    layer({a, b}).sum().backward();
    EXPECT_TRUE(at::equal(a.grad(), at::ones({2, 3})));
    EXPECT_TRUE(at::equal(b.grad(), at::zeros({2, 3})));
  }
}

TEST(Merging, NanIsNotLost) {
  const Tensor nan = at::full({1, 2}, std::numeric_limits<float>::quiet_NaN()), one = at::ones({1, 2});
  for (const auto& layer : elementwise_merges()) {
    EXPECT_TRUE(at::all(at::isnan(layer({nan, one}))).item<bool>()) << layer->class_name();
    EXPECT_TRUE(at::all(at::isnan(layer({one, nan}))).item<bool>()) << layer->class_name();
  }
}

TEST(Merging, RefusesShapesThatDiffer) {
  for (const auto& layer : elementwise_merges()) {
    const std::string who = "'m' (" + layer->class_name() + ")";
    expect_refused([&] { layer({Input({4}), Input({3})}); }, {who, "(None, 4)", "(None, 3)"});
    expect_refused([&] { layer({Input({4})}); }, {who, "must get two", "(None, 4)"});
    layer({Input({-1}), Input({-1})});
    expect_refused([&] { layer({at::ones({2, 3}), at::ones({2, 4})}); }, {who, "(2, 3)", "(2, 4)"});
    // Rows belong together: one row is not repeated.
    expect_refused([&] { layer({at::ones({2, 3}), at::ones({1, 3})}); }, {who, "batch", "(2, 3)", "(1, 3)"});
    expect_refused([&] { layer({at::ones({}), at::ones({})}); }, {who, "()"});
  }
  expect_refused([] { Add({.name = "a"})({Input({4})}); }, {"'a'", "two or more", "(None, 4)"});
  const Tensor x = at::ones({2, 3});
  Subtract subtract({.name = "s"});
  expect_refused([&] { subtract({x, x, x}); }, {"'s'", "must get two inputs", "(None, 3), (None, 3), (None, 3)"});
}

}  // namespace
}  // namespace tandem::layers
