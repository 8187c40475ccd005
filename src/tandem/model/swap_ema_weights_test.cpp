// Averages of the weights in evaluate, predict and validation. Keras's numbers: tests/conformance, callback_swap_ema.
#include "tandem/callbacks/swap_ema_weights.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/model.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using callbacks::SwapEMAWeights;

Sequential averaging_model(int64_t devices) {
  set_random_seed(41);
  Sequential model({layers::Input({3}), layers::Dense(2)});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1, .use_ema = true, .ema_momentum = 0.5}),
                 .loss = "mse",
                 .strategy = distribute::Mirrored({.devices = Devices::parse("cpu*" + std::to_string(devices))})});
  return model;
}

TEST(SwapEMAWeights, EvaluateAndPredictSeeTheAverages) {
  const Tensor x = RandomStream(1).normal({8, 3}), y = RandomStream(2).normal({8, 2});
  for (const int64_t devices : {1, 2}) {
    auto model = averaging_model(devices);
    model.train_on_batch(x, y);
    const auto one = model.get_weights();  // where the average begins
    model.train_on_batch(x, y);
    const auto two = model.get_weights();
    const Tensor plain = model.predict(x);
    const Tensor averaged = model.predict(x, {.callbacks = {SwapEMAWeights()}});
    const Tensor kernel = (one[0] + two[0]) / 2, bias = (one[1] + two[1]) / 2;
    EXPECT_TRUE(at::allclose(averaged, at::addmm(bias, x, kernel), 1e-5, 1e-6)) << devices;
    EXPECT_TRUE(at::equal(model.predict(x), plain)) << "put back";
    const double loss = model.evaluate(x, y, {.verbose = 0, .callbacks = {SwapEMAWeights()}})["loss"];
    EXPECT_NEAR(loss, (averaged - y).square().mean().item<double>(), 1e-5);
    for (std::size_t i = 0; i < two.size(); ++i) EXPECT_TRUE(at::equal(model.get_weights()[i], two[i])) << i;
  }
}

TEST(SwapEMAWeights, NeedsAverages) {
  const Tensor x = at::ones({2, 3}), y = at::ones({2, 2});
  Sequential plain({layers::Input({3}), layers::Dense(2)});
  plain.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_NE(testing::message_of([&] {
              plain.evaluate(x, y, {.verbose = 0, .callbacks = {SwapEMAWeights()}});
            }).find("use_ema"),
            std::string::npos);
  auto untrained = averaging_model(1);
  EXPECT_NE(testing::message_of([&] {
              untrained.evaluate(x, y, {.verbose = 0, .callbacks = {SwapEMAWeights()}});
            }).find("trained"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
