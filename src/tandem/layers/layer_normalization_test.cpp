#include "tandem/layers/layer_normalization.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/regularizers.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

static_assert(std::is_aggregate_v<LayerNormalizationOptions>);

TEST(LayerNormalization, MatchesKeras) { EXPECT_EQ(check_cases("layer_norm_"), 16); }

TEST(LayerNormalization, MadeByHandMatchesKeras) {
  expect_matches(LayerNormalization({.epsilon = 1e-5}), KerasCase("layer_norm_epsilon"));
  expect_matches(LayerNormalization({.axis = {2, 1}}), KerasCase("layer_norm_axes_21"));
  expect_matches(LayerNormalization({.scale = false}), KerasCase("layer_norm_no_scale"));
  expect_matches(LayerNormalization({.beta_regularizer = regularizers::L1(0.02),
                                     .gamma_regularizer = regularizers::L2(0.01),
                                     .gamma_constraint = "non_neg"}),
                 KerasCase("layer_norm_regularized"));
}

TEST(LayerNormalization, AxisIsAListOnceBuilt) {
  LayerNormalization layer;
  EXPECT_EQ(layer->get_config().at("axis").to_json(), "-1");
  layer(Input({4}));
  EXPECT_EQ(layer->get_config().at("axis").to_json(), "[-1]");
  EXPECT_EQ(layer->fresh_copy()->get_config().at("axis").to_json(), "-1");
}

TEST(LayerNormalization, ConstraintsGoToTheWeights) {
  LayerNormalization layer({.beta_constraint = "unit_norm", .gamma_constraint = "non_neg"});
  layer(Input({4}));
  EXPECT_EQ(layer.weights()[0].variable().constraint->class_name(), "NonNeg");
  EXPECT_EQ(layer.weights()[1].variable().constraint->class_name(), "UnitNorm");
}

// Rows share nothing: a row alone gives the same, and no rows give no values but gradients of zero.
TEST(LayerNormalization, OneRowAndNone) {
  for (const Axes& axis : {Axes(-1), Axes{1, 2}, Axes(1)}) {
    LayerNormalization layer({.axis = axis});
    const Tensor x = at::randn({3, 4, 5});
    const Tensor all = layer(x);
    EXPECT_TRUE(at::allclose(layer(x.slice(0, 1, 2)), all.slice(0, 1, 2), 1e-5, 1e-6));
    for (const auto& w : layer.weights()) w.variable().value.requires_grad_(true);
    const Tensor none = at::empty({0, 4, 5}).requires_grad_(true);
    const Tensor out = layer(none);
    EXPECT_EQ(out.sizes(), none.sizes());
    out.sum().backward();
    EXPECT_EQ(none.grad().sizes(), none.sizes());
    for (const auto& w : layer.weights()) EXPECT_TRUE(at::equal(w.value().grad(), at::zeros_like(w.value())));
  }
}

TEST(LayerNormalization, ShapesOfAGraph) {
  EXPECT_EQ(LayerNormalization()(Input({-1, 4})).shape(), (Shape{-1, -1, 4}));
  LayerNormalization layer({.axis = {1, 3}});
  EXPECT_EQ(layer(Input({3, -1, 5})).shape(), (Shape{-1, 3, -1, 5}));
  EXPECT_EQ(layer.weights()[0].shape(), (Shape{3, 5}));
}

TEST(LayerNormalization, RefusesWhatCannotWork) {
  expect_refused([] { LayerNormalization({.epsilon = std::numeric_limits<double>::quiet_NaN()}); },
                 {"LayerNormalization", "epsilon", "nan"});
  expect_refused([] { LayerNormalization({.epsilon = -1}); }, {"LayerNormalization", "epsilon", "-1"});
  expect_refused([] { LayerNormalization({.axis = 0, .name = "n"})(Input({4})); }, {"'n'", "axis 0", "batch"});
  expect_refused([] { LayerNormalization({.axis = 3, .name = "n"})(Input({4, 5})); }, {"'n'", "axis 3"});
  expect_refused([] { LayerNormalization({.axis = {1, -2}, .name = "n"})(Input({4, 5})); }, {"'n'", "once"});
  expect_refused([] { LayerNormalization({.name = "n"})(Input({4, -1})); }, {"'n'", "known", "(None, 4, None)"});
  LayerNormalization built({.name = "n"});
  built(Input({-1, 4}));
  expect_refused([&] { built(at::ones({2, 3, 5})); }, {"'n'", "(4,)", "axes (2,)", "(2, 3, 5)"});
  expect_refused([&] { built(at::ones({2, 4})); }, {"'n'", "rank 3", "(2, 4)"});
  expect_refused([&] { built(Input({4})); }, {"'n'", "rank 3", "(None, 4)"});
}

}  // namespace
}  // namespace tandem::layers
