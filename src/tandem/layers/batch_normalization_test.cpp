#include "tandem/layers/batch_normalization.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/catalog.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

static_assert(std::is_aggregate_v<BatchNormalizationOptions>);

CallContext training_context() {
  CallContext context;
  context.training = true;
  return context;
}

class BatchNormalizationCase : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Keras, BatchNormalizationCase,
                         ::testing::Values("rank2", "rank4", "no_scale", "no_center", "plain", "momentum_epsilon",
                                           "axis1", "regularized"));

TEST_P(BatchNormalizationCase, InferenceMatchesKeras) {
  EXPECT_EQ(check_cases(std::string("batch_norm_") + GetParam()), 1);
}

TEST_P(BatchNormalizationCase, TrainingMatchesKeras) {
  const KerasCase keras(std::string("batch_norm_") + GetParam());
  const LayerHandle layer = layer_from_config("BatchNormalization", keras.about.at("config"));
  set_up(layer, keras);

  const Tensor x = keras.load("train_x0").requires_grad_(true);
  const Tensor out = layer(x, training_context());
  expect_close(out, keras.load("train_output0"), 1e-5, "first batch");
  EXPECT_TRUE(out.is_contiguous() || GetParam() == std::string("axis1"));
  (out * keras.load("train_r")).sum().backward();
  expect_close(x.grad(), keras.load("train_grad_x"), 1e-4, "gradient of input");
  const auto weights = layer->weights();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!weights[i].trainable()) continue;
    expect_close(weights[i].value().grad(), keras.load("train_grad_weight" + std::to_string(i)), 1e-4,
                 "gradient of " + weights[i].name());
  }

  expect_close(layer(keras.load("train_x1"), training_context()), keras.load("train_output1"), 1e-5, "second batch");
  for (std::size_t i = 0; i < weights.size(); ++i) {
    expect_close(weights[i].value(), keras.load("after_weight" + std::to_string(i)), 1e-5,
                 weights[i].name() + " after training");
  }
  expect_close(layer(keras.load("x"), CallContext{}), keras.load("after_output"), 1e-5, "inference after training");
}

TEST(BatchNormalization, FrozenUsesTheMovingStatistics) {
  BatchNormalization layer;
  const Tensor x = at::randn({6, 3});
  layer->ensure_built({{-1, 3}});
  layer->set_trainable(false);
  const Tensor before = layer.weights()[2].value().clone();
  EXPECT_TRUE(at::allclose(layer(x, training_context()), x / std::sqrt(1 + 1e-3)));
  EXPECT_TRUE(at::equal(layer.weights()[2].value(), before));
}

TEST(BatchNormalization, UpdatesTheRunningReplica) {
  BatchNormalization layer({.momentum = 0.5});
  layer->ensure_built({{-1, 2}});
  const Weight mean = layer.weights()[2];
  const Tensor replica_mean = at::zeros({2});
  const WeightMap map = {{&mean.variable(), replica_mean}};
  const WeightScope scope(map);
  layer(at::full({4, 2}, 8.F), training_context());
  EXPECT_TRUE(at::equal(replica_mean, at::full({2}, 4.F)));
  EXPECT_TRUE(at::equal(mean.variable().value, at::zeros({2})));
}

TEST(BatchNormalization, NoRowsChangeNothing) {
  BatchNormalization layer;
  const Tensor x = at::empty({0, 4, 4, 3}).requires_grad_(true);
  const Tensor out = layer(x, training_context());
  EXPECT_EQ(out.sizes(), x.sizes());
  const Tensor gamma = layer.weights()[0].value().requires_grad_(true);
  layer(x, training_context()).sum().backward();
  EXPECT_EQ(x.grad().sizes(), x.sizes());
  EXPECT_TRUE(at::equal(gamma.grad(), at::zeros({3})));
  EXPECT_TRUE(at::equal(layer.weights()[2].value(), at::zeros({3})));
  EXPECT_TRUE(at::equal(layer.weights()[3].value(), at::ones({3})));
}

TEST(BatchNormalization, AnyRankWithTheLastAxis) {
  BatchNormalization layer;
  const Tensor x = at::randn({2, 3, 4, 2, 5});
  const Tensor out = layer(x, training_context());
  const std::vector<int64_t> others = {0, 1, 2, 3};
  const Tensor want = (x - x.mean(others, true)) / at::sqrt(x.var(others, false, true) + 1e-3);
  expect_close(out, want, 1e-5, "rank 5");
  EXPECT_TRUE(out.is_contiguous());
}

TEST(BatchNormalization, RefusesWhatCannotWork) {
  expect_refused([] { BatchNormalization({.epsilon = 0}); }, {"epsilon", "0"});
  expect_refused([] { BatchNormalization({.momentum = 1.5}); }, {"momentum", "1.5"});
  expect_refused(
      [] {
        BatchNormalization({.axis = 4, .name = "bn"})(Input({3, 3, 2}));
      },
      {"'bn'", "axis 4", "(None, 3, 3, 2)"});
  expect_refused([] { BatchNormalization({.axis = 0, .name = "bn"})(Input({3})); }, {"'bn'", "axis 0", "batch"});
  expect_refused([] { BatchNormalization({.name = "bn"})(Input({3, -1})); }, {"'bn'", "known", "(None, 3, None)"});
  BatchNormalization built({.name = "bn"});
  built(Input({3, 3, 2}));
  expect_refused([&] { built(at::ones({1, 3, 3, 4})); }, {"'bn'", "size 2", "(1, 3, 3, 4)"});
  expect_refused([&] { built(Input({2})); }, {"'bn'", "rank 4", "(None, 2)"});
}

}  // namespace
}  // namespace tandem::layers
