#include "tandem/layers/prelu.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

#include "tandem/layers/constraints.h"
#include "tandem/layers/elu.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/regularizers.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

static_assert(std::is_aggregate_v<PReLUOptions>);

TEST(PReLU, MatchesKeras) { EXPECT_EQ(check_cases("prelu_"), 4); }
TEST(ELU, MatchesKeras) { EXPECT_EQ(check_cases("elu_"), 2); }

TEST(PReLU, MadeByHandMatchesKeras) {
  expect_matches(PReLU({.shared_axes = {1, 2}}), KerasCase("prelu_shared"));
  expect_matches(PReLU({.alpha_initializer = "ones",
                        .alpha_regularizer = regularizers::L2(0.1),
                        .alpha_constraint = constraints::MinMaxNorm({.min_value = 0.1, .max_value = 0.5})}),
                 KerasCase("prelu_regularized"));
  expect_matches(ELU({.alpha = 0.4}), KerasCase("elu_alpha"));
}

TEST(PReLU, GradientAtZeroIsZero) {
  PReLU layer({.alpha_initializer = "ones"});
  const Tensor x = at::zeros({2, 3}).requires_grad_(true);
  layer(x).sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), at::zeros({2, 3})));
}

TEST(PReLU, ShapesOfAGraph) {
  PReLU layer({.shared_axes = {1, 2}});
  EXPECT_EQ(layer(Input({-1, 5, 3})).shape(), (Shape{-1, -1, 5, 3}));
  EXPECT_EQ(layer.weights()[0].shape(), (Shape{1, 1, 3}));
  EXPECT_EQ(PReLU()(at::empty({0, 4})).sizes(), (std::vector<int64_t>{0, 4}));
}

TEST(PReLU, RefusesWhatCannotWork) {
  expect_refused([] { PReLU({.shared_axes = {3}, .name = "p"})(Input({4, 5})); }, {"'p'", "shared axis 3"});
  expect_refused([] { PReLU({.name = "p"})(Input({-1, 5})); }, {"'p'", "shared_axes", "(None, None, 5)"});
  PReLU built({.name = "p"});
  built(Input({4}));
  expect_refused([&] { built(at::ones({2, 5})); }, {"'p'", "(4,)", "(2, 5)"});
  expect_refused([] { ELU({.alpha = std::numeric_limits<double>::infinity()}); }, {"ELU", "alpha", "inf"});
}

}  // namespace
}  // namespace tandem::layers
