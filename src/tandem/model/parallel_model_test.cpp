#include "tandem/model/parallel_model.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tandem/callbacks/lambda_callback.h"
#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;

const Devices kPair{"cpu:0", "cpu:1"};

Tensor parallel_x() { return RandomStream(6).normal({16, 3}); }
Tensor parallel_y() { return RandomStream(7).normal({16, 2}); }

Sequential parallel_template() {
  set_random_seed(9);
  Sequential model({layers::Input({3}), layers::Dense(2)});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse", .metrics = {"mae"}});
  return model;
}

TEST(ParallelModel, StartFitWaitStop) {
  const FitOptions options{.batch_size = 4, .epochs = 5, .verbose = 0};
  auto plain = parallel_template();
  const auto expected = plain.fit(parallel_x(), parallel_y(), options);

  auto model = parallel_template();
  ParallelModel parallel(model, kPair);  // compiled as its template is
  parallel.start();
  const auto main_thread = std::this_thread::get_id();
  std::thread::id trained_by;
  auto watched = options;
  watched.callbacks = {callbacks::LambdaCallback(
      {.on_epoch_end = [&](int64_t, const Logs&) { trained_by = std::this_thread::get_id(); }})};
  parallel.fit(parallel_x(), parallel_y(), watched);
  const auto history = parallel.wait();
  parallel.stop();
  EXPECT_FALSE(history.interrupted());
  EXPECT_NE(trained_by, main_thread);
  EXPECT_NE(trained_by, std::thread::id());
  EXPECT_EQ(history.rows_per_device(), (std::vector<int64_t>{40, 40}));
  EXPECT_NEAR(history["mae"].back(), expected["mae"].back(), 1e-5);
  EXPECT_EQ(testing::difference(model.get_weights()[0], plain.get_weights()[0], 1e-6), "") << "it is the template's";
}

TEST(ParallelModel, StopEndsTheTrainingInProgress) {
  auto model = parallel_template();
  ParallelModel parallel(model, kPair);
  parallel.start();
  std::atomic<int> epochs = 0;
  parallel.fit(data::TensorDataset(parallel_x(), parallel_y()).batch(4),
               {.epochs = 1'000'000,
                .verbose = 0,
                .callbacks = {callbacks::LambdaCallback({.on_epoch_end = [&](int64_t, const Logs&) { ++epochs; }})}});
  while (epochs < 2) std::this_thread::yield();
  EXPECT_TRUE(parallel.running());
  parallel.pause();
  const auto step = parallel.progress().step;
  EXPECT_GE(step, 8);
  parallel.resume();
  EXPECT_EQ(message_of([&] { parallel.fit(parallel_x(), parallel_y()); }),
            "fit: parallel model '" + model.name() + "' is being trained already; wait() for it, or stop() it");
  parallel.stop();
  EXPECT_FALSE(parallel.running());
  EXPECT_TRUE(parallel.wait().interrupted());
  EXPECT_EQ(model.predict(parallel_x()).size(0), 16);
  // And again.
  EXPECT_EQ(message_of([&] { parallel.fit(parallel_x(), parallel_y()); }),
            "fit: start() of parallel model '" + model.name() + "' comes first");
  parallel.start();
  parallel.fit(parallel_x(), parallel_y(), {.epochs = 2, .verbose = 0});
  EXPECT_EQ(parallel.wait()["loss"].size(), 2u);
  parallel.stop();
}

TEST(ParallelModel, MustBeCompiledAndStarted) {
  Sequential model({layers::Input({3}), layers::Dense(2)});
  ParallelModel parallel(model, kPair);
  EXPECT_EQ(message_of([&] { parallel.start(); }),
            "start: parallel model '" + model.name() + "' must be compiled first");
  EXPECT_EQ(message_of([&] { parallel.wait(); }), "wait: fit of parallel model '" + model.name() + "' comes first");
  parallel.compile({.optimizer = "sgd", .loss = "mse"});
  parallel.start();
  parallel.stop();  // nothing to end
}

}  // namespace
}  // namespace tandem
