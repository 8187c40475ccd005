#include "tandem/layers/time_distributed.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/layer_config.h"
#include "tandem/layers/layer_entry.h"
#include "tandem/layers/lstm.h"
#include "tandem/layers/masks.h"
#include "tandem/layers/recurrent_case_test.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

void expect_each_step(const LayerHandle& inner, const Tensor& x) {
  const TimeDistributed layer(inner);
  draw_weights(layer, {Shape::of(x.sizes().vec())});
  const Tensor got = layer(x);
  for (int64_t t = 0; t < x.size(1); ++t) expect_close(got.select(1, t), inner(x.select(1, t)), 1e-6, "step");
  EXPECT_EQ(layer->output_shape(Shape::of(x.sizes().vec())), Shape::of(got.sizes().vec()));
}

TEST(TimeDistributed, IsTheLayerAtEachStep) {
  expect_each_step(Dense(4), normal_numbers({3, 5, 2}, 1));
  expect_each_step(Conv2D(4, 3), normal_numbers({2, 3, 5, 6, 2}, 1));
  expect_each_step(LSTM(4), normal_numbers({2, 3, 5, 2}, 1));
}

// In training each step has statistics of its own, and the moving ones are fed once a step, as in Keras.
TEST(TimeDistributed, BatchStatisticsAreThoseOfAStep) {
  const BatchNormalization inner({.momentum = 0.5}), alone({.momentum = 0.5});
  const TimeDistributed layer(inner);
  const Tensor x = normal_numbers({4, 2, 3}, 1);
  layer->ensure_built({{-1, 2, 3}});
  alone->ensure_built({{-1, 3}});
  const CallContext training{.training = true};
  const Tensor got = layer(x, training);
  for (int64_t t = 0; t < 2; ++t) expect_close(got.select(1, t), alone(x.select(1, t), training), 1e-6, "step");
  for (std::size_t i = 2; i < 4; ++i)
    expect_close(inner.weights()[i].value(), alone.weights()[i].value(), 1e-6, "moving");
}

TEST(TimeDistributed, DropoutDiffersByStepAndFollowsTheRows) {
  const TimeDistributed layer(Dropout(0.5));
  const auto context = [](int64_t first_row) {
    return CallContext{.training = true, .random = RandomStream(1), .first_row = first_row};
  };
  const Tensor x = at::ones({6, 4, 30}), whole = layer(x, context(0));
  EXPECT_FALSE(at::equal(whole.select(1, 0), whole.select(1, 1)));
  EXPECT_TRUE(at::equal(at::cat({layer(x.slice(0, 0, 2), context(0)), layer(x.slice(0, 2), context(2))}), whole));
}

TEST(TimeDistributed, HandsTheMaskOn) {
  const TimeDistributed layer(Dense(4));
  draw_weights(layer, {{-1, 5, 2}});
  const Tensor x = normal_numbers({3, 5, 2}, 1), plain = layer(x);
  set_mask(x, normal_numbers({3, 5}, 2) > 0);
  const Tensor masked = layer(x);
  EXPECT_TRUE(at::equal(mask_of(masked), mask_of(x)));
  expect_close(masked, plain, 1e-6, "one step after the other");
}

TEST(TimeDistributed, PathAndConfigAsKerass) {
  const TimeDistributed layer(Dense(4), {.name = "t"});
  layer(Input({5, 2}));
  EXPECT_EQ(layer->named_children()[0].first, "layer");
  const Config entry = layer_to_config(*layer);
  EXPECT_EQ(layer_to_config(*layer_from_entry(entry)).at("config").at("layer").at("config"),
            entry.at("config").at("layer").at("config"));
  EXPECT_NE(layer->fresh_copy()->children()[0], layer->children()[0]);
  expect_refused([&] { TimeDistributed(Dense(4), {.name = "t"})(Input({5})); }, {"'t'", "rank 3", "(None, 5)"});
  expect_refused(
      [&] {
        TimeDistributed(LSTM(4, {.return_state = true}), {.name = "t"})(Input({3, 5, 2}));
      },
      {"'t'", "one output", "3"});
}

}  // namespace
}  // namespace tandem::layers
