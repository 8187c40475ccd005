// Gradients of several batches in one update (U67).
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/callbacks/lambda_callback.h"
#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/body.h"
#include "tandem/model/training_job.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/piecewise_constant_decay.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

Tensor accumulated_x(int64_t rows) { return RandomStream(13).normal({rows, 5}); }
Tensor accumulated_y(int64_t rows) { return RandomStream(14).normal({rows, 2}); }

distribute::Strategy on_cpus(int64_t n) {
  return distribute::Mirrored({.devices = Devices::parse("cpu*" + std::to_string(n)), .threads_per_device = 1});
}

Sequential accumulating(const Handle<Optimizer>& optimizer, int64_t devices) {
  set_random_seed(15);
  Sequential model({layers::Input({5}), layers::Dense(6, {.activation = "tanh"}), layers::Dense(2)});
  model.compile({.optimizer = optimizer, .loss = "mse", .strategy = on_cpus(devices)});
  return model;
}

// One epoch over `rows` rows in their order.
std::vector<Tensor> trained(const Handle<Optimizer>& optimizer, int64_t devices, int64_t rows, int64_t batch_size,
                            int64_t accumulate) {
  auto model = accumulating(optimizer, devices);
  model.fit(accumulated_x(rows), accumulated_y(rows),
            {.batch_size = batch_size, .epochs = 1, .verbose = 0, .shuffle = false, .accumulate = accumulate});
  return model.get_weights();
}

void expect_equal_weights(const std::vector<Tensor>& got, const std::vector<Tensor>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(testing::difference(got[i], expected[i], 1e-6), "") << i;
}

TEST(Accumulate, FourTimesEightRowsEqualThirtyTwo) {
  for (int64_t devices : {1, 2, 3}) {
    for (const Handle<Optimizer>& optimizer :
         {Handle<Optimizer>(optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9})),
          Handle<Optimizer>(optimizers::Adam({.learning_rate = 0.01, .epsilon = 1e-3, .clipnorm = 0.1}))}) {
      expect_equal_weights(trained(optimizer, devices, 64, 8, 4), trained(optimizer, 1, 64, 32, 1));
    }
  }
}

TEST(Accumulate, TheLastGroupIsAMeanOverItsOwnRows) {  // U67
  // 10 batches of 4 rows by 4: updates over 16, 16 and 8 rows.
  const optimizers::SGD optimizer({.learning_rate = 0.1});
  for (int64_t devices : {1, 2}) {
    expect_equal_weights(trained(optimizer, devices, 40, 4, 4), trained(optimizer, 1, 40, 16, 1));
    // 38 rows: the last batch of the last group is short, too.
    expect_equal_weights(trained(optimizer, devices, 38, 4, 4), trained(optimizer, 1, 38, 16, 1));
  }
}

TEST(Accumulate, UpdatesAreMadeAfterEachGroupAndAtTheEpochsEnd) {  // U67
  auto model = accumulating(optimizers::SGD({.learning_rate = 0.1}), 2);
  auto& execution = model.body().trainer().execution();
  std::vector<int64_t> updated_after, iterations;
  int64_t steps = 0, last = 0;
  const auto note = [&](int64_t, const Logs&) {
    ++steps;
    if (execution.iterations() > last) updated_after.push_back(steps);
    last = execution.iterations();
  };
  const testing::CapturedLog log;
  ::testing::internal::CaptureStdout();
  model.fit(accumulated_x(40), accumulated_y(40),
            {.batch_size = 4,
             .epochs = 2,
             .verbose = 2,
             .callbacks = {callbacks::LambdaCallback({.on_train_batch_end = note})},
             .accumulate = 4});
  ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(updated_after, (std::vector<int64_t>{4, 8, 10, 14, 18, 20}));
  EXPECT_EQ(execution.iterations(), 6);
  EXPECT_EQ(execution.steps(), 20);
  EXPECT_TRUE(log.infos().at(0).ends_with("10 steps an epoch, an update every 4 steps")) << log.infos().at(0);
}

TEST(Accumulate, OneExchangeAnUpdate) {
  const auto bytes = [](int64_t batch_size, int64_t accumulate) {
    auto model = accumulating(optimizers::SGD(), 2);
    return model
        .fit(accumulated_x(64), accumulated_y(64), {.batch_size = batch_size, .verbose = 0, .accumulate = accumulate})
        .bytes_sent(0);
  };
  EXPECT_GT(bytes(8, 1), 0);
  EXPECT_EQ(bytes(8, 4), bytes(32, 1));
}

TEST(Accumulate, SchedulesCountUpdates) {
  // The rate falls to nothing after the first update: what follows changes no weight.
  const schedules::PiecewiseConstantDecay once({0}, {0.1, 0.0});
  auto model = accumulating(optimizers::SGD({.learning_rate = once}), 1);
  std::vector<Tensor> after_step;
  const auto note = [&](int64_t, const Logs&) { after_step.push_back(model.get_weights()[0]); };
  const auto before = model.get_weights()[0];
  model.fit(accumulated_x(24), accumulated_y(24),
            {.batch_size = 4,
             .verbose = 0,
             .callbacks = {callbacks::LambdaCallback({.on_train_batch_end = note})},
             .accumulate = 3});
  ASSERT_EQ(after_step.size(), 6u);
  EXPECT_TRUE(at::equal(after_step[1], before));
  EXPECT_FALSE(at::equal(after_step[2], before)) << "the third batch ends the first group";
  EXPECT_TRUE(at::equal(after_step[5], after_step[2]));
}

TEST(Accumulate, WhatEndsInAGroupIsUpdatedAtOnce) {
  const optimizers::SGD optimizer({.learning_rate = 0.1});
  const auto expected = trained(optimizer, 1, 24, 24, 1);  // one update for 6 batches of 4
  const auto stopping_after_six = [](std::function<void()> stop) {
    return callbacks::LambdaCallback({.on_train_batch_end = [stop](int64_t batch, const Logs&) {
      if (batch == 5) stop();
    }});
  };
  FitOptions options{.batch_size = 4, .epochs = 3, .verbose = 0, .shuffle = false, .accumulate = 100};
  for (int64_t devices : {1, 2}) {
    auto model = accumulating(optimizer, devices);
    options.callbacks = {stopping_after_six([&] { model.stop_training(); })};
    model.fit(accumulated_x(40), accumulated_y(40), options);
    expect_equal_weights(model.get_weights(), expected);

    auto other = accumulating(optimizer, devices);
    std::unique_ptr<TrainingJob> job;
    options.callbacks = {stopping_after_six([&] { job->stop(); })};
    job = std::make_unique<TrainingJob>(other, accumulated_x(40), accumulated_y(40), options);
    job->start();
    EXPECT_TRUE(job->wait().interrupted());
    expect_equal_weights(other.get_weights(), expected);

    auto failing = accumulating(optimizer, devices);
    options.callbacks = {stopping_after_six([] { throw DataError("enough"); })};
    EXPECT_THROW(failing.fit(accumulated_x(40), accumulated_y(40), options), DataError);
    expect_equal_weights(failing.get_weights(), expected);
  }
}

TEST(Accumulate, DataThatEndsInAnEpochEndsItsGroup) {
  auto model = accumulating(optimizers::SGD({.learning_rate = 0.1}), 1);
  auto& execution = model.body().trainer().execution();
  const testing::CapturedLog log;
  model.fit(accumulated_x(12), accumulated_y(12),
            {.batch_size = 4, .verbose = 0, .shuffle = false, .steps_per_epoch = 5, .accumulate = 5});
  EXPECT_EQ(execution.iterations(), 1);
  EXPECT_EQ(execution.steps(), 3);
  expect_equal_weights(model.get_weights(), trained(optimizers::SGD({.learning_rate = 0.1}), 1, 12, 12, 1));
}

TEST(Accumulate, AFailedStepLeavesNothingBehind) {
  const optimizers::SGD optimizer({.learning_rate = 0.1});
  for (int64_t devices : {1, 2}) {
    auto model = accumulating(optimizer, devices);
    Tensor bad = accumulated_y(8);
    auto job = [&](const Tensor& y) {
      model.fit(accumulated_x(8), y, {.batch_size = 4, .verbose = 0, .shuffle = false, .accumulate = 2});
    };
    EXPECT_THROW(job(at::zeros({8, 3})), InvalidArgument);
    job(bad);
    expect_equal_weights(model.get_weights(), trained(optimizer, 1, 8, 8, 1));
  }
}

TEST(Accumulate, MustBePositive) {
  auto model = accumulating("sgd", 1);
  EXPECT_EQ(
      testing::message_of([&] { model.fit(accumulated_x(8), accumulated_y(8), {.verbose = 0, .accumulate = 0}); }),
      "fit: accumulate must be at least 1, got 0");
}

}  // namespace
}  // namespace tandem
