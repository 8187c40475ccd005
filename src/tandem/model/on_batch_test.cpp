// train_on_batch, test_on_batch, predict_on_batch, and passes of a given number of steps.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;

Model compiled(int64_t devices) {
  set_random_seed(2);
  Sequential model({Input({3}), Dense(6, {.activation = "tanh"}), Dropout(0.2), Dense(2)});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}),
                 .loss = "mse",
                 .metrics = {"mae"},
                 .strategy = on_devices(devices)});
  return model;
}

TEST(OnBatch, CallsInARowAreAFit) {
  const Tensor x = normal({12, 3}, 1), y = normal({12, 2}, 2);
  for (const int64_t devices : {1, 2}) {
    auto whole = compiled(devices), by_hand = compiled(devices);
    whole.fit(x, y, {.batch_size = 4, .epochs = 1, .verbose = 0, .shuffle = false});
    for (int64_t i = 0; i < 12; i += 4) by_hand.train_on_batch(x.slice(0, i, i + 4), y.slice(0, i, i + 4));
    const auto want = whole.get_weights(), got = by_hand.get_weights();
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(at::equal(got[i], want[i])) << "weight " << i;
  }
}

TEST(OnBatch, FiguresAreThisBatchsAlone) {
  auto model = compiled(2);
  const Tensor x = normal({5, 3}, 1), y = normal({5, 2}, 2);
  model.train_on_batch(x * 100, y * 100);  // its figures must not linger
  const Tensor before = model.predict(x);
  const auto tested = model.test_on_batch(x, y);
  EXPECT_NEAR(tested["loss"], (before - y).square().mean().item<double>(), 1e-5);
  EXPECT_NEAR(tested["mae"], (before - y).abs().mean().item<double>(), 1e-5);
  EXPECT_TRUE(at::equal(model.predict(x), before)) << "a test changes nothing";
  EXPECT_TRUE(at::equal(model.predict_on_batch(x)[0], before));

  const Tensor weights = at::tensor({1.0F, 0.0F, 2.0F, 0.5F, 0.0F});
  const auto weighted = model.test_on_batch(x, y, {.sample_weight = weights});
  EXPECT_NEAR(weighted["loss"], ((before - y).square().mean(1) * weights).mean().item<double>(), 1e-5);
}

TEST(OnBatch, SeesWeightsSetBetweenCalls) {
  auto model = compiled(2);
  const Tensor x = normal({4, 3}, 1), y = normal({4, 2}, 2);
  model.train_on_batch(x, y);
  const auto kernel = model.layers()[2].weights()[0];  // by the layer, not by set_weights
  kernel.assign(at::zeros_like(kernel.variable().value));
  const auto bias = model.layers()[2].weights()[1];
  const Tensor predicted = model.predict_on_batch(x)[0];
  EXPECT_EQ(testing::difference(predicted, bias.variable().value.expand_as(predicted), 1e-6), "");
}

TEST(OnBatch, RefusesWhatItCannotDo) {
  Sequential bare({Input({3}), Dense(2)});
  const Tensor x = at::ones({2, 3}), y = at::ones({2, 2});
  EXPECT_EQ(testing::message_of([&] { bare.train_on_batch(x, y); }),
            "train_on_batch: the model must be compiled with a loss first");
  EXPECT_EQ(bare.predict_on_batch(x)[0].size(0), 2);
  auto model = compiled(1);
  EXPECT_EQ(testing::message_of<DataError>([&] {
              model.train_on_batch(at::ones({0, 3}), at::ones({0, 2}));
            }),
            "data set: it must have at least one row, got x[0] of shape (0, 3)");
}

TEST(Steps, LimitAPass) {
  auto model = compiled(1);
  const Tensor x = normal({10, 3}, 1), y = normal({10, 2}, 2);
  const auto first = model.evaluate(x.slice(0, 0, 6), y.slice(0, 0, 6), {.batch_size = 3, .verbose = 0});
  const auto limited = model.evaluate(x, y, {.batch_size = 3, .verbose = 0, .steps = 2});
  EXPECT_EQ(limited["loss"], first["loss"]);
  EXPECT_EQ(model.predict(x, {.batch_size = 3, .steps = 2}).size(0), 6);
  const auto history = model.fit(
      x, y,
      {.batch_size = 5, .verbose = 0, .validation_data = {x, y}, .validation_steps = 2, .validation_batch_size = 3});
  EXPECT_EQ(history["val_loss"][0],
            model.evaluate(x.slice(0, 0, 6), y.slice(0, 0, 6), {.batch_size = 3, .verbose = 0})["loss"]);

  const testing::CapturedLog log;
  model.evaluate(x, y, {.batch_size = 5, .verbose = 0, .steps = 3});
  ASSERT_EQ(log.warnings().size(), 1U);
  EXPECT_EQ(log.warnings()[0], "the data ended after 2 of 3 steps");
  EXPECT_EQ(testing::message_of([&] { model.evaluate(x, y, {.verbose = 0, .steps = 0}); }),
            "evaluate: steps must be positive, or -1 for all data, got 0");
  EXPECT_EQ(testing::message_of([&] { model.fit(x, y, {.verbose = 0, .validation_steps = 0}); }),
            "fit: validation_steps must be positive, or -1 for all data, got 0");
}

}  // namespace
}  // namespace tandem
