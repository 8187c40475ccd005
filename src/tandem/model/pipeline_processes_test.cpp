// Pipelines over processes: every one gets the numbers of one device, and the bits of as many stages in one process.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tandem/callbacks/lambda_callback.h"
#include "tandem/distribution/pipeline_parallel.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/layers/layer_names.h"
#include "tandem/model/body.h"
#include "tandem/model/processes_case_test.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/loss_scale_optimizer.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/thread_processes.h"

namespace tandem {
namespace {

using namespace layers;
using callbacks::LambdaCallback;
using distribute::PipelineParallel;
using distribute::PipelineParallelOptions;
using parity::by_adam;
using parity::Grid;
using parity::some_x;
using parity::some_y;
using parity::Task;

Model chain() {
  return Sequential({Input({6}), Dense(8, {.activation = "tanh", .name = "p"}), Dropout(0.2, {.name = "q"}),
                     Dense(8, {.activation = "relu", .name = "r"}), Dense(3, {.activation = "softmax"})});
}

struct Layout {
  Grid grid;
  int64_t data;
  std::vector<std::string> boundaries;
};
const std::vector<Layout> kLayouts{{{2, 1}, 1, {"q"}},     {{1, 2}, 1, {"q"}}, {{2, 2}, 1, {"p", "q", "r"}},
                                   {{2, 2}, 2, {"q"}},     {{4, 1}, 2, {"q"}}, {{4, 1}, 1, {"p", "q", "r"}},
                                   {{3, 2}, 2, {"p", "q"}}};

parity::MakeStrategy in_processes(PipelineParallelOptions options) {
  return [options](const distribute::ProcessGroup& group, const Devices& own) {
    auto how = options;
    how.group = group;
    how.devices = own;
    how.threads_per_device = 1;
    return PipelineParallel(how);
  };
}

void expect_in_processes(const Task& task, bool like_one = true) {
  const auto one = parity::train(task, distribute::SingleDevice("cpu:0"));
  for (const auto& layout : kLayouts) {
    SCOPED_TRACE(std::to_string(layout.grid.processes) + " processes of " + std::to_string(layout.grid.devices) +
                 " devices, " + std::to_string(layout.data) + " replicas");
    PipelineParallelOptions how{.data = layout.data, .micro_batches = 2, .boundaries = layout.boundaries};
    const auto got = parity::train_with(task, layout.grid, in_processes(how));
    how.devices = Devices::parse("cpu*" + std::to_string(layout.grid.processes * layout.grid.devices));
    how.threads_per_device = 1;
    const auto want = parity::train(task, PipelineParallel(how));
    for (const auto& result : got) {
      if (like_one) parity::expect_same(result, one);
      parity::expect_same_bits(result, want);
    }
  }
}

Task classes(int64_t rows, const FitOptions& fit) {
  return {chain, by_adam(), parity::normal({rows, 6}, 1), parity::one_hot(rows, 3, 2), fit};
}

TEST(PipelineProcesses, ShortLastBatch) { expect_in_processes(classes(25, {.batch_size = 8, .epochs = 2})); }

TEST(PipelineProcesses, FewerRowsThanReplicas) { expect_in_processes(classes(1, {.batch_size = 8, .epochs = 2})); }

TEST(PipelineProcesses, ValidationClassWeightsAndAccumulation) {
  expect_in_processes(classes(
      31,
      {.batch_size = 6, .epochs = 2, .validation_split = 0.3, .class_weight = {{0, 0.5}, {2, 3.0}}, .accumulate = 2}));
}

TEST(PipelineProcesses, WhatOptimizersKeep) {
  auto task = classes(25, {.batch_size = 8, .epochs = 2});
  task.compile.optimizer = optimizers::SGD({.learning_rate = 0.1, .global_clipnorm = 0.5, .use_ema = true});
  expect_in_processes(task);
  task.compile.optimizer = optimizers::LossScaleOptimizer(optimizers::Adam({.learning_rate = 0.01}));
  expect_in_processes(task);
}

TEST(PipelineProcesses, StatisticsAreThoseOfAsManyReplicas) {
  auto task = classes(25, {.batch_size = 8, .epochs = 2});
  task.build = [] {
    return Sequential({Input({6}), Dense(8, {.use_bias = false, .name = "p"}), BatchNormalization({.name = "q"}),
                       Dense(8, {.activation = "relu", .name = "r"}), Dense(3, {.activation = "softmax"})});
  };
  expect_in_processes(task, false);
}

// The division that the first process measures is the others', too; whatever it is, numbers are those of one device.
TEST(PipelineProcesses, AMeasuredDivision) {
  const auto task = classes(25, {.batch_size = 8, .epochs = 2});
  const auto one = parity::train(task, distribute::SingleDevice("cpu:0"));
  for (const auto& result : parity::train_with(task, {3, 1}, in_processes({}))) parity::expect_same(result, one);
}

TEST(PipelineProcesses, InterleavedChunksThatAreComputedAgain) {
  const auto task = classes(25, {.batch_size = 8, .epochs = 2});
  const auto one = parity::train(task, distribute::SingleDevice("cpu:0"));
  for (const int64_t data : {1, 2}) {
    const auto got = parity::train_with(
        task, {2 * data, 1},
        in_processes({.data = data, .micro_batches = 2, .schedule = "interleaved", .chunks = 2, .recompute = true}));
    for (const auto& result : got) parity::expect_same(result, one);
  }
}

TEST(PipelineProcesses, AllGoOnFromTheFirstOnesWeightsAndState) {
  const testing::CapturedLog quiet;
  const auto fit = [](Model& model) { model.fit(some_x(), some_y(), {.batch_size = 8, .verbose = 0}); };
  set_random_seed(21);
  Model alone = chain();
  auto compile = by_adam();
  compile.strategy = parity::on_devices(1);
  alone.compile(compile);
  fit(alone);
  const auto given = alone.get_weights();
  const auto state = alone.body().optimizer_state();
  fit(alone);
  const auto want = alone.get_weights();

  std::vector<Model> models;
  for (const int64_t seed : {21, 22}) {
    clear_session();
    set_random_seed(seed);
    models.push_back(chain());
  }
  set_random_seed(21);
  testing::run_processes(2, [&](auto processes) {
    const int64_t p = processes->rank().rank();
    auto& model = models[static_cast<std::size_t>(p)];
    auto own = by_adam();
    own.strategy = in_processes({})(distribute::ProcessGroup(processes, p), {"cpu:0"});
    model.compile(own);
    fit(model);
    auto other = model.get_weights();
    for (std::size_t i = 0; i < other.size(); ++i) {  // what was learned is had by all
      EXPECT_TRUE(at::allclose(other[i], given[i], 1e-4, 1e-4)) << i;
    }
    if (p == 0) {
      model.set_weights(given);
      model.body().set_optimizer_state(state);
    } else {
      for (auto& w : other) w.fill_(7);
      model.set_weights(other);
    }
    fit(model);
    const auto got = model.get_weights();
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(at::allclose(got[i], want[i], 1e-4, 1e-4)) << i;
  });
}

TEST(PipelineProcesses, OneThatFailsEndsTheOthersAndIsNamed) {
  std::vector<std::string> said(3);
  parity::on_grid_with({3, 1}, chain, by_adam(), in_processes({}), [&](Model& model, int64_t process) {
    const LambdaCallback failing({.on_train_batch_end = [&](int64_t batch, const Logs&) {
      if (process == 1 && batch == 2) throw DataError("no space left");
    }});
    said[static_cast<std::size_t>(process)] = testing::message_of<Error>(
        [&] { model.fit(some_x(), some_y(), {.batch_size = 4, .epochs = 3, .verbose = 0, .callbacks = {failing}}); });
    EXPECT_EQ(model.get_weights().size(), 6U) << "what is here can be had";
    EXPECT_THROW(model.evaluate(some_x(), some_y(), {.verbose = 0}), PeerError) << "the group is of no use any more";
  });
  EXPECT_EQ(said[1], "no space left");
  for (const std::size_t other : {0U, 2U})
    EXPECT_NE(said[other].find("rank 1 failed in fit, step 4: no space left"), std::string::npos) << said[other];
}

// The limit of a call, here two seconds, ends the others' waits.
TEST(PipelineProcesses, ASilentStageIsNamed) {
  const testing::CapturedLog quiet;
  std::vector<Model> models;
  for (int p = 0; p < 2; ++p) {
    clear_session();
    models.push_back(chain());
  }
  std::string said;
  std::atomic<bool> ended = false;
  testing::run_processes(
      2,
      [&](auto processes) {
        const int64_t p = processes->rank().rank();
        auto& model = models[static_cast<std::size_t>(p)];
        auto own = by_adam();
        own.strategy = in_processes({.boundaries = {"q"}})(distribute::ProcessGroup(processes, p), {"cpu:0"});
        model.compile(own);
        const LambdaCallback rests({.on_train_batch_begin = [&](int64_t batch, const Logs&) {
          while (p == 1 && batch == 2 && !ended) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }});
        const auto message = testing::message_of<PeerError>(
            [&] { model.fit(some_x(), some_y(), {.batch_size = 4, .verbose = 0, .callbacks = {rests}}); });
        if (p == 0) said = message;
        ended = true;
      },
      2);
  EXPECT_NE(said.find("fit, step 3: "), std::string::npos) << said;
  EXPECT_NE(said.find("for rank 1"), std::string::npos) << said;
}

TEST(PipelineProcesses, MustBeAlike) {
  std::vector<std::string> said(2);
  parity::on_grid_with(
      {2, 1}, chain, by_adam(),
      [](const distribute::ProcessGroup& group, const Devices& own) {
        return in_processes({.micro_batches = 2 + group.rank()})(group, own);
      },
      [&](Model& model, int64_t process) {
        said[static_cast<std::size_t>(process)] =
            testing::message_of([&] { model.fit(some_x(), some_y(), {.verbose = 0}); });
      });
  for (const auto& line : said) {
    EXPECT_NE(line.find("all ranks must have the same, but rank 1 has micro_batches 3 and rank 0 has micro_batches 2"),
              std::string::npos)
        << line;
  }
}

}  // namespace
}  // namespace tandem
