// Training in the background (U86).
#include "tandem/model/training_job.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <semaphore>
#include <thread>

#include "tandem/callbacks/early_stopping.h"
#include "tandem/callbacks/lambda_callback.h"
#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using callbacks::LambdaCallback;
using testing::message_of;

constexpr int64_t kForever = 1'000'000;  // epochs: a job that only an order ends

Tensor job_x() { return RandomStream(3).normal({24, 4}); }
Tensor job_y() { return RandomStream(4).normal({24, 3}); }

Sequential job_model(uint64_t seed = 5, const distribute::Strategy& strategy = {}) {
  set_random_seed(seed);
  Sequential model(
      {layers::Input({4}), layers::Dense(8, {.activation = "tanh"}), layers::Dropout(0.2), layers::Dense(3)});
  model.compile(
      {.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}), .loss = "mse", .strategy = strategy});
  return model;
}

distribute::Strategy two_cpus() {
  return distribute::Mirrored({.devices = {"cpu:0", "cpu:1"}, .threads_per_device = 1});
}

bool same_weights(const Model& a, const Model& b) {
  const auto left = a.get_weights(), right = b.get_weights();
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!at::equal(left[i], right[i])) return false;
  }
  return left.size() == right.size();
}

// A place in a callback where the training's thread waits for the test's, and the test can wait until it is there.
class Meeting {
 public:
  void come_and_wait() {
    come_.release();
    go_.acquire();
  }
  void await() { come_.acquire(); }
  void let_go() { go_.release(); }

 private:
  std::binary_semaphore come_{0}, go_{0};
};

// Calls `act` once, in the step of that number, counted from 0 over all epochs.
LambdaCallback in_step(int step, std::function<void()> act) {
  return LambdaCallback({.on_train_batch_end = [seen = 0, step, act = std::move(act)](int64_t, const Logs&) mutable {
    if (seen++ == step) act();
  }});
}

TEST(TrainingJob, GivesWhatFitGives) {
  auto plain = job_model(), own = job_model();
  const FitOptions options{.batch_size = 8, .epochs = 3, .verbose = 0, .validation_data = {job_x(), job_y()}};
  const auto expected = plain.fit(job_x(), job_y(), options);
  TrainingJob job(own, job_x(), job_y(), options);
  EXPECT_FALSE(job.running());
  job.start();
  const auto history = job.wait();
  EXPECT_FALSE(job.running());
  EXPECT_FALSE(history.interrupted());
  EXPECT_EQ(history.series(), expected.series());
  EXPECT_TRUE(same_weights(own, plain));
  EXPECT_EQ(job.wait().series(), expected.series()) << "again";
  const auto progress = job.progress();
  EXPECT_EQ(progress.step, 9);
  EXPECT_EQ(progress.steps, 9);
  EXPECT_EQ(progress.epoch, 2);
  EXPECT_EQ(progress.epochs, 3);
  EXPECT_EQ(progress.logs["val_loss"], history["val_loss"].back());
}

TEST(TrainingJob, TwoAtOnceEqualTwoInTurn) {
  for (const auto& strategy : {distribute::Strategy(), two_cpus()}) {
    const FitOptions options{.batch_size = 6, .epochs = 20, .verbose = 0};
    auto a = job_model(1, strategy), b = job_model(2, strategy);
    a.fit(job_x(), job_y(), options);
    b.fit(job_x(), job_y(), options);
    auto c = job_model(1, strategy), d = job_model(2, strategy);
    auto first = c.fit_async(job_x(), job_y(), options), second = d.fit_async(job_x(), job_y(), options);
    first.wait();
    second.wait();
    EXPECT_TRUE(same_weights(a, c));
    EXPECT_TRUE(same_weights(b, d));
    EXPECT_FALSE(same_weights(a, b));
  }
}

TEST(TrainingJob, TwoOnOneModelTrainInTurn) {
  auto plain = job_model(), model = job_model();
  const FitOptions options{.batch_size = 6, .epochs = 2, .verbose = 0};
  plain.fit(job_x(), job_y(), options);
  plain.fit(job_x(), job_y(), options);
  auto first = model.fit_async(job_x(), job_y(), options), second = model.fit_async(job_x(), job_y(), options);
  EXPECT_EQ(first.wait()["loss"].size(), 2u);
  EXPECT_EQ(second.wait()["loss"].size(), 2u);
  EXPECT_TRUE(same_weights(plain, model));
}

TEST(TrainingJob, CancelledInStepFiveStopsThereAndTheModelIsUsable) {
  auto model = job_model();
  Meeting meeting;
  int64_t steps = 0;
  TrainingJob job(model, job_x(), job_y(),
                  {.batch_size = 4,
                   .epochs = kForever,
                   .verbose = 0,
                   .callbacks = {in_step(4, [&] { meeting.come_and_wait(); }),
                                 LambdaCallback({.on_train_batch_end = [&](int64_t, const Logs&) { ++steps; }})}});
  job.start();
  meeting.await();
  auto stopped = std::async(std::launch::async, [&] { job.stop(); });
  EXPECT_EQ(stopped.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout) << "the step is in flight";
  meeting.let_go();
  stopped.get();
  EXPECT_FALSE(job.running());
  EXPECT_LE(steps, 6);  // one more where the stop came after the gate
  EXPECT_EQ(job.progress().step, steps);
  const auto history = job.wait();
  EXPECT_TRUE(history.interrupted());
  EXPECT_EQ(history["loss"].size(), 1u) << "the epoch's figures up to there";
  EXPECT_EQ(model.predict(job_x()).size(0), 24);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_EQ(model.fit(job_x(), job_y(), {.verbose = 0})["loss"].size(), 1u);
}

TEST(TrainingJob, PausedItChangesNothingAndPredicts) {
  auto plain = job_model(5, two_cpus()), model = job_model(5, two_cpus());
  const FitOptions options{.batch_size = 4, .epochs = 3, .verbose = 0};
  plain.fit(job_x(), job_y(), options);

  Meeting meeting;
  auto with_meeting = options;
  with_meeting.callbacks = {in_step(7, [&] { meeting.come_and_wait(); })};
  auto job = model.fit_async(job_x(), job_y(), with_meeting);
  meeting.await();
  auto paused = std::async(std::launch::async, [&] { job.pause(); });
  EXPECT_EQ(paused.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  meeting.let_go();
  paused.get();
  const auto step = job.progress().step;
  EXPECT_TRUE(job.running());
  EXPECT_EQ(message_of([&] { job.wait(); }),
            "TrainingJob of model '" + model.name() + "': wait: it is paused; resume or stop it first");
  EXPECT_EQ(message_of([&] { model.compile({.optimizer = "sgd", .loss = "mse"}); }),
            "compile: model '" + model.name() + "' is in use by fit, evaluate or predict");
  const Tensor seen = model.predict(job_x());
  model.evaluate(job_x(), job_y(), {.verbose = 0});
  EXPECT_FALSE(at::equal(seen, plain.predict(job_x())));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(job.progress().step, step);
  job.resume();
  EXPECT_FALSE(job.wait().interrupted());
  EXPECT_TRUE(same_weights(model, plain));
}

TEST(TrainingJob, AFitOfAnotherThreadWaitsForAPausedOne) {
  auto model = job_model();
  Meeting meeting;
  TrainingJob job(
      model, job_x(), job_y(),
      {.batch_size = 4, .epochs = kForever, .verbose = 0, .callbacks = {in_step(0, [&] { meeting.come_and_wait(); })}});
  job.start();
  meeting.await();
  meeting.let_go();
  job.pause();
  auto other = std::async(std::launch::async, [&] { return model.fit(job_x(), job_y(), {.epochs = 2, .verbose = 0}); });
  EXPECT_EQ(other.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  job.stop();  // also where it is paused
  EXPECT_TRUE(job.wait().interrupted());
  EXPECT_EQ(other.get()["loss"].size(), 2u);
}

TEST(TrainingJob, StoppedInValidationTheEpochHasNoValidation) {
  auto model = job_model();
  Meeting meeting;
  int64_t batches = 0, ends = 0;
  TrainingJob job(model, job_x(), job_y(),
                  {.batch_size = 4,
                   .epochs = kForever,
                   .verbose = 0,
                   .callbacks = {LambdaCallback({.on_train_end = [&](const Logs&) { ++ends; },
                                                 .on_test_batch_end =
                                                     [&](int64_t batch, const Logs&) {
                                                       ++batches;
                                                       if (batch == 1) meeting.come_and_wait();
                                                     }})},
                   .validation_data = {job_x(), job_y()}});
  job.start();
  meeting.await();
  job.request_stop();
  meeting.let_go();
  const auto history = job.wait();
  EXPECT_TRUE(history.interrupted());
  EXPECT_EQ(batches, 2);  // of 6
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(history["loss"].size(), 1u);
  EXPECT_EQ(history.count("val_loss"), 0);
}

TEST(TrainingJob, OrdersFromItsOwnCallbacks) {
  auto model = job_model();
  std::unique_ptr<TrainingJob> job;
  Meeting meeting;
  std::string refused;
  const auto act = [&] {
    refused = message_of([&] { job->wait(); });
    job->pause();
    meeting.come_and_wait();
  };
  job = std::make_unique<TrainingJob>(
      model, job_x(), job_y(),
      FitOptions{.batch_size = 4, .epochs = kForever, .verbose = 0, .callbacks = {in_step(1, act), in_step(3, [&] {
                                                                                    job->stop();
                                                                                  })}});
  job->start();
  meeting.await();
  meeting.let_go();
  job->pause();  // returns when the training has come to its gate
  EXPECT_EQ(job->progress().step, 2);
  job->resume();
  EXPECT_TRUE(job->wait().interrupted());
  EXPECT_EQ(job->progress().step, 4);
  EXPECT_EQ(refused, "TrainingJob of model '" + model.name() + "': wait: its own callbacks must not wait for it");
}

TEST(TrainingJob, OrdersBeforeItBegan) {
  auto model = job_model();
  const auto before = model.get_weights();
  const FitOptions options{.epochs = 2, .verbose = 0};
  TrainingJob stopped(model, job_x(), job_y(), options);
  stopped.stop();
  stopped.start();
  const auto history = stopped.wait();
  EXPECT_TRUE(history.interrupted());
  EXPECT_TRUE(history.series().empty());
  EXPECT_TRUE(at::equal(model.get_weights()[0], before[0]));

  TrainingJob paused(model, job_x(), job_y(), options);
  EXPECT_EQ(message_of([&] { paused.wait(); }),
            "TrainingJob of model '" + model.name() + "': wait: it must be started first");
  paused.pause();
  paused.start();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(paused.progress().step, 0);
  paused.resume();
  EXPECT_EQ(paused.wait()["loss"].size(), 2u);
  EXPECT_EQ(message_of([&] { paused.start(); }),
            "TrainingJob of model '" + model.name() + "': start: it was started before; make another TrainingJob");
  paused.pause();  // after the end: nothing
  paused.stop();
  EXPECT_FALSE(paused.wait().interrupted());
}

TEST(TrainingJob, EarlyStoppingIsNoInterruption) {
  auto model = job_model();
  auto job = model.fit_async(job_x(), job_y(),
                             {.epochs = kForever,
                              .verbose = 0,
                              .callbacks = {callbacks::EarlyStopping({.monitor = "loss", .min_delta = 1e9})}});
  const auto history = job.wait();
  EXPECT_FALSE(history.interrupted());
  EXPECT_EQ(history["loss"].size(), 2u);
}

TEST(TrainingJob, WaitThrowsWhatEndedTheTraining) {
  auto model = job_model();
  const FitOptions options{
      .batch_size = 4, .verbose = 0, .callbacks = {in_step(2, [] { throw DataError("the third step"); })}};
  auto job = model.fit_async(job_x(), job_y(), options);
  EXPECT_EQ(message_of<DataError>([&] { job.wait(); }), "the third step");
  EXPECT_FALSE(job.running());
  job.stop();
  EXPECT_EQ(model.fit(job_x(), job_y(), {.verbose = 0})["loss"].size(), 1u);

  const testing::CapturedLog log;
  { auto nobody_waits = model.fit_async(job_x(), job_y(), options); }
  // The destructor may stop it before the third step.
  if (!log.warnings().empty()) {
    EXPECT_EQ(log.warnings(), std::vector<std::string>{"training of '" + model.name() + "' failed: the third step"});
  }
  EXPECT_EQ(message_of([&] {
              model.fit_async(job_x(), at::zeros({3, 3}));
            }).find("nothing was thrown"),
            std::string::npos)
      << "arguments that do not fit are the caller's";
  EXPECT_NE(message_of([] { TrainingJob(Model(), at::ones({1, 1}), at::ones({1, 1})); }), "nothing was thrown");
}

TEST(TrainingJob, AFailureThatNobodyWaitedForIsLogged) {
  auto model = job_model();
  const testing::CapturedLog log;
  {
    auto job = model.fit_async(job_x(), job_y(),
                               {.verbose = 0, .callbacks = {in_step(0, [] { throw DataError("the first step"); })}});
    while (job.running()) std::this_thread::yield();
  }
  EXPECT_EQ(log.warnings(), std::vector<std::string>{"training of '" + model.name() + "' failed: the first step"});
}

TEST(TrainingJob, MayGoAtAnyTime) {
  const FitOptions options{.batch_size = 4, .epochs = kForever, .verbose = 0};
  TrainingJob lives_on(job_model(), job_x(), job_y(), options);  // the model was a temporary
  lives_on.start();
  lives_on = job_model().fit_async(job_x(), job_y(), options);  // the first one is stopped
  lives_on.pause();                                             // a paused one ends, too

  // The last handle goes within a callback.
  auto kept = std::make_shared<std::unique_ptr<TrainingJob>>();
  auto ended = std::make_shared<std::promise<void>>();
  auto with_callback = options;
  with_callback.callbacks = {in_step(2, [kept] { kept->reset(); }),
                             LambdaCallback({.on_train_end = [ended](const Logs&) { ended->set_value(); }})};
  Meeting meeting;
  with_callback.callbacks.insert(with_callback.callbacks.begin(), in_step(0, [&] { meeting.come_and_wait(); }));
  *kept = std::make_unique<TrainingJob>(job_model(), job_x(), job_y(), with_callback);
  (*kept)->start();
  meeting.await();
  meeting.let_go();
  ended->get_future().get();
}

TEST(TrainingJob, TrainsDatasetsAndParallelModels) {
  auto model = job_model(5, two_cpus());
  auto job = model.fit_async(data::TensorDataset(job_x(), job_y()).batch(7), {.epochs = 2, .verbose = 0});
  const auto history = job.wait();
  EXPECT_EQ(job.progress().step, 8);
  EXPECT_EQ(history.rows_per_device(), (std::vector<int64_t>{28, 20}));  // 3 x (4 + 3) and 2 + 1, twice
}

}  // namespace
}  // namespace tandem
