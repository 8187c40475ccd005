// The optimizers' settings gradient_accumulation_steps and loss_scale_factor, and LossScaleOptimizer, in training on
// one device and several. Keras's numbers: optimizers/keras_cases_test.cpp and tests/conformance.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tandem/core/random.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/body.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/lamb.h"
#include "tandem/optimizers/loss_scale_optimizer.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using optimizers::LossScaleOptimizer;

const Tensor& group_x() {
  static const Tensor x = RandomStream(51).normal({64, 5});
  return x;
}
const Tensor& group_y() {
  static const Tensor y = RandomStream(52).normal({64, 2});
  return y;
}

Sequential grouping(const Handle<Optimizer>& optimizer, const distribute::Mirrored& strategy) {
  set_random_seed(53);
  Sequential model({layers::Input({5}), layers::Dense(6, {.activation = "tanh"}), layers::Dense(2)});
  model.compile({.optimizer = optimizer, .loss = "mse", .strategy = strategy});
  return model;
}

distribute::Mirrored of_cpus(int64_t devices) {
  return distribute::Mirrored({.devices = Devices::parse("cpu*" + std::to_string(devices)), .threads_per_device = 1});
}

std::vector<Tensor> weights_of(Sequential model, int64_t batch_size) {
  model.fit(group_x(), group_y(), {.batch_size = batch_size, .epochs = 2, .verbose = 0, .shuffle = false});
  return model.get_weights();
}

void expect_near(const std::vector<Tensor>& got, const std::vector<Tensor>& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(testing::difference(got[i], want[i], 1e-6), "") << what << i;
}

Handle<Optimizer> adam(int64_t steps, double scale = 0) {
  return optimizers::Adam({.learning_rate = 0.01,
                           .epsilon = 1e-3,
                           .global_clipnorm = 0.1,
                           .loss_scale_factor = scale,
                           .gradient_accumulation_steps = steps});
}
Handle<Optimizer> lamb(int64_t steps) {
  return optimizers::Lamb({.learning_rate = 0.01, .epsilon = 1e-3, .gradient_accumulation_steps = steps});
}
Handle<Optimizer> sgd(int64_t steps, double scale = 0) {
  return optimizers::SGD(
      {.learning_rate = 0.1, .momentum = 0.9, .loss_scale_factor = scale, .gradient_accumulation_steps = steps});
}

TEST(GradientAccumulation, FourBatchesOfEightAreOneOfThirtyTwoOnAnyNumberOfDevices) {
  for (const int64_t devices : {1, 2, 3}) {
    const auto what = std::to_string(devices) + " devices, weight ";
    expect_near(weights_of(grouping(sgd(4), of_cpus(devices)), 8), weights_of(grouping(sgd(0), of_cpus(1)), 32), what);
    expect_near(weights_of(grouping(adam(4), of_cpus(devices)), 8), weights_of(grouping(adam(0), of_cpus(1)), 32),
                what);
    expect_near(weights_of(grouping(lamb(4), of_cpus(devices)), 8), weights_of(grouping(lamb(0), of_cpus(1)), 32),
                what);
  }
}

TEST(GradientAccumulation, AGroupThatTheEndOfFitCutsOffGoesOnInTheNext) {
  auto parts = grouping(sgd(3), of_cpus(2)), whole = grouping(sgd(3), of_cpus(2));
  const FitOptions options{.batch_size = 16, .epochs = 1, .verbose = 0, .shuffle = false};
  const auto before = parts.get_weights();
  parts.fit(group_x().narrow(0, 0, 32), group_y().narrow(0, 0, 32), options);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(at::equal(parts.get_weights()[i], before[i])) << i;
  parts.fit(group_x().narrow(0, 32, 32), group_y().narrow(0, 32, 32), options);
  whole.fit(group_x(), group_y(), options);
  const auto got = parts.get_weights(), want = whole.get_weights();
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(at::equal(got[i], want[i])) << i;
}

TEST(LossScale, OfAPowerOfTwoChangesNothing) {
  for (const int64_t devices : {1, 2}) {
    const auto with = weights_of(grouping(sgd(0, 1024), of_cpus(devices)), 16);
    const auto without = weights_of(grouping(sgd(0), of_cpus(devices)), 16);
    for (std::size_t i = 0; i < with.size(); ++i) EXPECT_TRUE(at::equal(with[i], without[i])) << devices << " " << i;
  }
  expect_near(weights_of(grouping(adam(2, 3), of_cpus(2)), 16), weights_of(grouping(adam(2), of_cpus(1)), 16), "");
}

TEST(LossScaleOptimizer, LeavesOutStepsThatOverflowOnEveryDevice) {
  for (const auto& [devices, all_reduce] : {std::pair{1, "auto"}, {2, "auto"}, {3, "auto"}, {2, "host"}}) {
    // 2^129 is none of float32's numbers, nor are gradients times 2^127: the scale falls until they are finite.
    distribute::MirroredOptions options{.devices = Devices::parse("cpu*" + std::to_string(devices)),
                                        .threads_per_device = 1};
    options.all_reduce = all_reduce;
    auto model = grouping(LossScaleOptimizer(sgd(0), {.initial_scale = std::pow(2.0, 131), .dynamic_growth_steps = 5}),
                          distribute::Mirrored(options));
    int64_t steps = 0;
    while (model.body().trainer().has_trained() == false && steps < 20) {
      model.train_on_batch(group_x(), group_y());
      ++steps;
    }
    EXPECT_GT(steps, 1) << devices;
    ASSERT_LT(steps, 20) << devices;
    auto plain = grouping(sgd(0), of_cpus(1));
    plain.train_on_batch(group_x(), group_y());
    expect_near(model.get_weights(), plain.get_weights(), std::to_string(devices) + " devices, weight ");
    const auto state = model.body().optimizer_state();
    EXPECT_EQ(state.integer("iterations"), 1);
    EXPECT_EQ(state.number("number/1"), std::pow(2.0, 131 - (steps - 1)));
  }
}

TEST(LossScaleOptimizer, RefusesWhatCannotWork) {
  using testing::message_of;
  EXPECT_NE(message_of([] { LossScaleOptimizer("sgd", {.initial_scale = 0}); }).find("initial_scale"),
            std::string::npos);
  EXPECT_NE(message_of([] { LossScaleOptimizer("sgd", {.dynamic_growth_steps = 0}); }).find("dynamic_growth_steps"),
            std::string::npos);
  EXPECT_NE(
      message_of([] { LossScaleOptimizer(Handle<Optimizer>(LossScaleOptimizer("sgd"))); }).find("inner_optimizer"),
      std::string::npos);
}

}  // namespace
}  // namespace tandem
