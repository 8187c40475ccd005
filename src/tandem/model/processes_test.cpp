// What processes that train one model agree on.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/callbacks/early_stopping.h"
#include "tandem/callbacks/lambda_callback.h"
#include "tandem/core/random.h"
#include "tandem/data/per_device.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/layer_names.h"
#include "tandem/model/body.h"
#include "tandem/model/processes_case_test.h"
#include "tandem/model/training_job.h"
#include "tandem/network/subclassed.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/thread_processes.h"

namespace tandem {
namespace {

using namespace layers;
using callbacks::LambdaCallback;
using parity::by_adam;
using parity::Grid;
using parity::normal;
using parity::on_grid;
using parity::some_x;
using parity::some_y;
using parity::two_layers;

void expect_same_weights(const std::vector<std::vector<Tensor>>& all) {
  for (const auto& weights : all) {
    ASSERT_EQ(weights.size(), all[0].size());
    for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_TRUE(at::equal(weights[i], all[0][i])) << i;
  }
}

TEST(TrainingProcesses, GoOnFromTheFirstOnesWeightsStateAndRandomNumbers) {
  const testing::CapturedLog quiet;
  const auto fit = [](Model& model, int64_t batch_size) {
    return model.fit(some_x(), some_y(), {.batch_size = batch_size, .epochs = 1, .verbose = 0});
  };
  // What one process gives that begins with the seed of the first.
  set_random_seed(21);
  Model alone = two_layers();
  auto compile = by_adam();
  compile.strategy = parity::on_devices(1);
  alone.compile(compile);
  fit(alone, 8);
  const auto given = alone.get_weights();
  auto state = alone.body().optimizer_state();
  fit(alone, 8);

  std::vector<Model> models;
  for (const int64_t seed : {21, 22, 23}) {
    clear_session();
    set_random_seed(seed);
    models.push_back(two_layers());
  }
  set_random_seed(21);
  std::vector<std::vector<Tensor>> weights(3);
  testing::run_processes(3, [&](auto processes) {
    const int64_t p = processes->rank().rank();
    auto& model = models[static_cast<std::size_t>(p)];
    auto own = by_adam();
    own.strategy = distribute::DataParallel({.group = distribute::ProcessGroup(processes, p), .threads_per_device = 1});
    model.compile(own);
    fit(model, 8);
    if (p == 0) {  // others have something else
      model.set_weights(given);
      model.body().set_optimizer_state(state);
    } else if (p == 1) {
      auto other = model.get_weights();
      for (auto& w : other) w.fill_(7);
      model.set_weights(other);
      model.set_learning_rate(0.5);
    }
    fit(model, 8);
    weights[static_cast<std::size_t>(p)] = model.get_weights();
  });
  expect_same_weights(weights);
  const auto want = alone.get_weights();
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(at::allclose(weights[0][i], want[i], 1e-4, 1e-4)) << i;
}

TEST(TrainingProcesses, AllSeeTheSameLogsInTheMiddleOfAnEpoch) {
  // By process: the logs that a callback saw, step by step.
  const auto logs_on = [](const Grid& grid, int64_t batch_size) {
    std::vector<std::vector<std::string>> seen(static_cast<std::size_t>(grid.processes));
    on_grid(grid, two_layers, by_adam(), {.fixed_order = 4}, [&](Model& model, int64_t process) {
      auto& own = seen[static_cast<std::size_t>(process)];
      const auto note = [&own](int64_t, const Logs& logs) {
        std::string line;
        for (const auto& [name, value] : logs) line += name + " " + std::to_string(value) + " ";
        own.push_back(line);
      };
      const LambdaCallback callback({.on_train_batch_end = note, .on_test_batch_end = note});
      model.fit(
          some_x(), some_y(),
          {.batch_size = batch_size, .epochs = 2, .verbose = 0, .callbacks = {callback}, .validation_split = 0.2});
      model.evaluate(some_x(), some_y(), {.batch_size = batch_size, .verbose = 0, .callbacks = {callback}});
    });
    return seen;
  };
  for (const int64_t batch_size : {8, 2}) {  // with 2, half of the ranks have seen no row
    const auto want = logs_on({1, 1}, batch_size)[0];
    EXPECT_NE(want[0].find("accuracy"), std::string::npos);
    for (const auto& grid : {Grid{2, 1}, Grid{2, 2}, Grid{4, 1}}) {
      for (const auto& got : logs_on(grid, batch_size)) EXPECT_EQ(got, want) << grid.processes << " " << batch_size;
    }
  }
}

TEST(TrainingProcesses, StopTogether) {
  std::vector<int64_t> epochs(2), steps(2), rows(2);
  on_grid({2, 1}, two_layers, by_adam(), {}, [&](Model& model, int64_t process) {
    const auto p = static_cast<std::size_t>(process);
    const callbacks::EarlyStopping early({.monitor = "loss", .min_delta = 100, .patience = 1});
    epochs[p] = static_cast<int64_t>(
        model.fit(some_x(), some_y(), {.batch_size = 8, .epochs = 9, .verbose = 0, .callbacks = {early}})
            .epoch()
            .size());
    // One process alone asks for it, in the second step.
    const LambdaCallback one({.on_train_batch_end = [&](int64_t batch, const Logs&) {
      ++steps[p];
      if (process == 1 && batch == 1) model.stop_training();
    }});
    model.fit(some_x(), some_y(), {.batch_size = 8, .epochs = 9, .verbose = 0, .callbacks = {one}});
  });
  EXPECT_EQ(epochs, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(steps, (std::vector<int64_t>{2, 2}));
}

TEST(TrainingProcesses, AJobThatOneStopsEndsInAll) {
  std::vector<std::vector<Tensor>> weights(2);
  std::vector<int64_t> interrupted(2);
  on_grid({2, 1}, two_layers, by_adam(), {}, [&](Model& model, int64_t process) {
    auto job = model.fit_async(some_x(), some_y(), {.batch_size = 8, .epochs = 1000000, .verbose = 0});
    if (process == 1) {
      while (job.progress().step < 5) std::this_thread::yield();
      job.request_stop();
    }
    interrupted[static_cast<std::size_t>(process)] = job.wait().interrupted();
    weights[static_cast<std::size_t>(process)] = model.get_weights();
  });
  EXPECT_EQ(interrupted, (std::vector<int64_t>{1, 1}));
  expect_same_weights(weights);
}

// Two losses, one update each, of its own weights; figures of its own.
struct OwnStep : SubclassedModel {
  Dense first = track("first", Dense(2)), second = track("second", Dense(2));
  Tensor call(const Tensor& x, const CallContext& context) override { return first(x, context) + second(x, context); }
  void train_step(Step& step) override {
    const Tensor y_pred = call(step.x()[0], step.context());
    step.minimize(step.compute_loss(y_pred) * 2, first.weights());
    const Tensor apart = (second(step.x()[0], step.context()) - step.y()[0]).square().mean();
    step.minimize(apart, second.weights());
    step.report("apart", apart);
    step.update_metrics(y_pred);
  }
};

TEST(TrainingProcesses, AModelsOwnTrainStep) {
  for (const int64_t batch_size : {5, 2}) {
    const parity::Task task{
        [] { return make_model<OwnStep>(); },
        {.optimizer = optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9}), .loss = "mse", .metrics = {"mae"}},
        normal({13, 6}, 1),
        normal({13, 2}, 2),
        {.batch_size = batch_size, .epochs = 3}};
    const auto one = parity::train(task, 1);
    EXPECT_EQ(one.history["apart"].size(), 3U);
    for (const auto& grid : {Grid{2, 1}, Grid{2, 2}, Grid{4, 1}}) {
      for (const auto& result : parity::train(task, grid)) parity::expect_same(result, one);
    }
  }
}

TEST(TrainingProcesses, OnBatchCallsAndDataByDevice) {
  std::vector<std::vector<Tensor>> weights(2), outputs(2);
  std::vector<double> losses(2);
  on_grid({2, 1}, two_layers, by_adam(), {}, [&](Model& model, int64_t process) {
    const auto p = static_cast<std::size_t>(process);
    losses[p] = model.train_on_batch(some_x(), some_y())["loss"];
    model.test_on_batch(some_x(), some_y());
    outputs[p] = {model.predict_on_batch(some_x().slice(0, 0, 1)).front(), model.predict_on_batch(some_x()).front()};
    const data::TensorDataset low(some_x().slice(0, 0, 10), some_y().slice(0, 0, 10)),
        high(some_x().slice(0, 10), some_y().slice(0, 10));
    const auto history = model.fit(PerDevice{low, high}, {.batch_size = 4, .epochs = 1, .verbose = 0});
    EXPECT_EQ(history.rows_per_device(), (std::vector<int64_t>{process == 0 ? 10 : 16}));
    weights[p] = model.get_weights();
  });
  expect_same_weights(weights);
  expect_same_weights(outputs);
  EXPECT_EQ(outputs[0][1].size(0), 26);
  EXPECT_EQ(losses[0], losses[1]);
}

}  // namespace
}  // namespace tandem
