#include "tandem/layers/relu.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

#include "tandem/layers/catalog.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/leaky_relu.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

static_assert(std::is_aggregate_v<ReLUOptions> && std::is_aggregate_v<LeakyReLUOptions>);

TEST(ReLU, MatchesKeras) { EXPECT_EQ(check_cases("relu_"), 9); }
TEST(LeakyReLU, MatchesKeras) { EXPECT_EQ(check_cases("leaky_relu_"), 2); }

TEST(ReLU, MadeByHandMatchesKeras) {
  expect_matches(ReLU(), KerasCase("relu_default"));
  expect_matches(ReLU({.max_value = 6}), KerasCase("relu_max6"));
  expect_matches(ReLU({.max_value = 1.1, .negative_slope = 0.15, .threshold = 0.1}), KerasCase("relu_all"));
  expect_matches(LeakyReLU(), KerasCase("leaky_relu_default"));
  expect_matches(LeakyReLU({.negative_slope = 0.07}), KerasCase("leaky_relu_slope"));
}

TEST(ReLU, IsPlainOnlyWithoutSettings) {
  EXPECT_TRUE(ReLU()->is_relu());
  EXPECT_FALSE(ReLU({.max_value = 6})->is_relu());
  EXPECT_FALSE(ReLU({.negative_slope = 0.1})->is_relu());
  EXPECT_FALSE(ReLU({.threshold = 0.1})->is_relu());
  EXPECT_FALSE(LeakyReLU()->is_relu());
}

TEST(ReLU, NamesAndShapesAreKerass) {
  EXPECT_TRUE(ReLU()->name().starts_with("re_lu"));
  EXPECT_TRUE(LeakyReLU()->name().starts_with("leaky_re_lu"));
  EXPECT_EQ(ReLU({.max_value = 1})(Input({4, -1})).shape(), (Shape{-1, 4, -1}));
  EXPECT_EQ(LeakyReLU()(Input({4, -1})).shape(), (Shape{-1, 4, -1}));
}

TEST(ReLU, GradientsAtTheLimitsAreTensorFlows) {
  const auto gradient_at = [](const LayerHandle& layer, float value) {
    const Tensor x = at::full({1, 1}, value).requires_grad_(true);
    layer(x).sum().backward();
    return x.grad().item<float>();
  };
  EXPECT_EQ(gradient_at(ReLU(), 0), 0);
  EXPECT_EQ(gradient_at(ReLU({.max_value = 2}), 0), 0);
  EXPECT_EQ(gradient_at(ReLU({.max_value = 2}), 2), 1);  // a clip passes it at its limit,
  EXPECT_EQ(gradient_at(ReLU({.max_value = 6}), 6), 0);  // relu6 does not
  EXPECT_EQ(gradient_at(ReLU({.threshold = 1}), 1), 0);
  EXPECT_EQ(gradient_at(LeakyReLU({.negative_slope = 0.5}), 0), 0.5);
}

TEST(ReLU, NanIsNotLost) {
  const Tensor nan = at::full({1, 2}, std::numeric_limits<float>::quiet_NaN());
  for (const auto& layer : {ReLU(), ReLU({.max_value = 6}), ReLU({.threshold = 1}), ReLU({.max_value = 1}),
                            ReLU({.max_value = 2, .negative_slope = 0.1, .threshold = 1})}) {
    EXPECT_TRUE(at::all(at::isnan(layer(nan))).item<bool>()) << layer->get_config().to_json();
  }
}

TEST(ReLU, ReadsOlderConfigs) {
  const auto leaky = layer_from_config("LeakyReLU", Config::from_json(R"({"alpha": 0.25})"));
  EXPECT_EQ(leaky->get_config().at("negative_slope").as_double(), 0.25);
  EXPECT_TRUE(layer_from_config("ReLU", Config::from_json(R"({"max_value": null})"))->is_relu());
}

TEST(ReLU, RefusesWhatCannotWork) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refused([] { ReLU({.max_value = -1}); }, {"ReLU", "max_value", "-1"});
  expect_refused([] { ReLU({.negative_slope = -0.5}); }, {"ReLU", "negative_slope", "-0.5"});
  expect_refused([&] { ReLU({.threshold = nan}); }, {"ReLU", "threshold", "nan"});
  expect_refused([&] { LeakyReLU({.negative_slope = nan}); }, {"LeakyReLU", "negative_slope", "nan"});
}

}  // namespace
}  // namespace tandem::layers
