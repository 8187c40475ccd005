// Replicas of pipelines: the numbers of one device, for any number of replicas, stages, micro batches and rows.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/device.h"
#include "tandem/distribution/pipeline_parallel.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/add.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/layers/regularizers.h"
#include "tandem/model/body.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/loss_scale_optimizer.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;
using distribute::PipelineParallel;
using distribute::PipelineParallelOptions;

CompileOptions by_momentum() {
  return {.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}),
          .loss = "categorical_crossentropy",
          .metrics = {"accuracy"}};
}

Model four_layers() {
  return Sequential({Input({6}), Dense(8, {.activation = "relu"}), Dropout(0.3), Dense(8, {.activation = "tanh"}),
                     Dense(8, {.activation = "relu"}), Dense(3, {.activation = "softmax"})});
}

// A layer that stages share, penalised, and a value that goes past stages.
Model shared_and_skipped() {
  const auto x = Input({6});
  const Dense shared(6, {.activation = "tanh", .kernel_regularizer = regularizers::L2(0.01)});
  const auto a = shared(x);
  const auto b = Dense(6, {.activation = "relu"})(a);
  return Model(x, Dense(3, {.activation = "softmax"})(Concatenate()({Add()({a, shared(b)}), x})));
}

Task replicas_task(const std::function<Model()>& build, const CompileOptions& compile = by_momentum(),
                   int64_t rows = 22) {
  return {build, compile, normal({rows, 6}, 1), one_hot(rows, 3, 2), {.batch_size = 8, .epochs = 2}};
}

PipelineParallel replicated(int64_t data, int64_t stages, PipelineParallelOptions options = {}) {
  options.devices = Devices::parse("cpu*" + std::to_string(data * stages));
  options.data = data;
  options.threads_per_device = 1;
  return PipelineParallel(options);
}

void expect_replicas_as_one(const Task& task, int64_t data, int64_t stages,
                            const PipelineParallelOptions& options = {}) {
  SCOPED_TRACE(std::to_string(data) + " replicas of " + std::to_string(stages) + " stages");
  expect_same(train(task, replicated(data, stages, options)), train(task, distribute::SingleDevice("cpu:0")));
}

TEST(PipelineReplicas, AnyScheduleStagesAndMicroBatches) {
  for (const char* schedule : {"gpipe", "1f1b"}) {
    for (const int64_t micro_batches : {1, 2, 3}) {
      expect_replicas_as_one(replicas_task(four_layers), 2, 2, {.micro_batches = micro_batches, .schedule = schedule});
      expect_replicas_as_one(replicas_task(four_layers), 3, 1, {.micro_batches = micro_batches, .schedule = schedule});
    }
  }
  expect_replicas_as_one(replicas_task(four_layers), 2, 4, {.micro_batches = 3});
}

TEST(PipelineReplicas, InterleavedChunks) {
  expect_replicas_as_one(replicas_task(four_layers), 2, 2,
                         {.micro_batches = 2, .schedule = "interleaved", .chunks = 2});
  expect_replicas_as_one(replicas_task(shared_and_skipped), 2, 2,
                         {.micro_batches = 2, .schedule = "interleaved", .chunks = 2});
}

TEST(PipelineReplicas, SomeWithoutRowsAndMicroBatchesWithout) {
  for (const int64_t rows : {1, 2, 3, 9}) {  // 9: the last batch has one row
    expect_replicas_as_one(replicas_task(four_layers, by_momentum(), rows), 2, 2);
    expect_replicas_as_one(replicas_task(four_layers, by_momentum(), rows), 3, 2, {.schedule = "gpipe"});
  }
}

TEST(PipelineReplicas, ClippingAccumulationAndScaledLosses) {
  for (const auto& optimizer :
       {Handle<Optimizer>("adam"), Handle<Optimizer>("lamb"),
        Handle<Optimizer>(optimizers::SGD({.learning_rate = 0.1, .clipnorm = 0.05})),
        Handle<Optimizer>(optimizers::SGD({.learning_rate = 0.1, .global_clipnorm = 0.05})),
        Handle<Optimizer>(optimizers::LossScaleOptimizer(optimizers::Adam({.learning_rate = 0.01})))}) {
    SCOPED_TRACE(optimizer.get()->class_name());
    auto compile = by_momentum();
    compile.optimizer = optimizer;
    expect_replicas_as_one(replicas_task(shared_and_skipped, compile), 2, 2);
  }
  auto task = replicas_task(shared_and_skipped);
  task.fit.accumulate = 2;  // the last group is short
  expect_replicas_as_one(task, 2, 2);
  task = replicas_task(shared_and_skipped);
  task.fit.sample_weight = RandomStream(5).uniform({22}) * 2;
  expect_replicas_as_one(task, 2, 3);
}

// U57: batch [0, 0, 4, 4] in micro batches, and over replicas: averages move once, by mean 2 and variance 4.
TEST(PipelineReplicas, MovingAveragesMoveOnceByTheWholeBatch) {
  const Tensor x = at::tensor({0.0F, 0.0F, 4.0F, 4.0F}).view({4, 1});
  for (const int64_t data : {1, 2, 3}) {
    for (const int64_t micro_batches : {1, 2}) {
      Sequential model({Input({1}), BatchNormalization({.momentum = 0.5}), Dense(1)});
      model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}),
                     .loss = "mse",
                     .strategy = replicated(data, 2, {.micro_batches = micro_batches})});
      model.fit(x, x, {.batch_size = 4, .verbose = 0, .shuffle = false});
      const auto weights = model.get_weights();  // gamma, beta, the averages (0 and 1 at first), kernel, bias
      EXPECT_NEAR(weights[2].item<float>(), 0.5 * 2, 1e-6) << data << " " << micro_batches;
      EXPECT_NEAR(weights[3].item<float>(), 0.5 * 1 + 0.5 * 4, 1e-6) << data << " " << micro_batches;
    }
  }
}

TEST(PipelineReplicas, MovingAveragesWhereSomeHaveNoRows) {
  const Tensor x = normal({2, 3}, 1) * 3 + 5;
  Sequential model({Input({3}), BatchNormalization({.momentum = 0.5}), Dense(2)});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = "mse", .strategy = replicated(4, 2)});
  model.fit(x, normal({2, 2}, 2), {.batch_size = 2, .verbose = 0});
  const auto weights = model.get_weights();
  EXPECT_TRUE(at::allclose(weights[2], x.mean(0) * 0.5, 1e-5, 1e-5));
  EXPECT_TRUE(at::allclose(weights[3], 0.5 + x.var(0, false) * 0.5, 1e-5, 1e-5));
  const Tensor same = x.slice(0, 0, 1).expand({8, 3}).contiguous();  // each replica has two of these rows
  const Tensor made = model.predict(same, {.batch_size = 8});
  EXPECT_TRUE(at::equal(made, made.slice(0, 0, 1).expand({8, 2}))) << "replicas have the same averages";
}

TEST(PipelineReplicas, FactsByRank) {
  Sequential model({Input({6}), Dense(8, {.name = "end"}), Dense(3, {.activation = "softmax"})});
  auto compile = by_momentum();
  compile.strategy = replicated(2, 2, {.micro_batches = 2, .boundaries = {"end"}});
  model.compile(compile);
  auto& execution = model.body().trainer().execution();
  EXPECT_EQ(execution.division(17), (std::vector<int64_t>{9, 9, 8, 8}));
  EXPECT_EQ(execution.ranks(), 2);
  execution.record_trace(true);
  const auto history = model.fit(normal({17, 6}, 1), one_hot(17, 3, 2), {.batch_size = 17, .verbose = 0});
  EXPECT_EQ(history.rows_per_device(), (std::vector<int64_t>{9, 9, 8, 8}));
  const std::vector<int64_t> weights{6 * 8 + 8, 8 * 3 + 3};  // of each stage
  for (const int64_t device : {0, 1, 2, 3}) {
    const int64_t own = weights[static_cast<std::size_t>(device % 2)];
    EXPECT_GE(history.parameter_bytes(device), 4 * own);
    EXPECT_LT(history.parameter_bytes(device), 4 * own + 4 * 64);  // padding
    // Activations one way or their gradients the other, the own stage's gradients, and a few bytes about each.
    const int64_t values = (device < 2 ? 9 : 8) * 8 * 4;
    EXPECT_GE(history.bytes_sent(device), values + 2 * own);
    EXPECT_LT(history.bytes_sent(device), values + 2 * 4 * own + 1000);
    ASSERT_EQ(execution.ledger(device).exchanges.size(), 1U);
    EXPECT_GT(execution.ledger(device).exchanges[0].times.finished, 0);
  }
  std::map<std::string, std::set<std::string>> devices;
  for (const auto& span : execution.trace()) devices[span.layer].insert(span.device);
  EXPECT_EQ(devices.at("end"), (std::set<std::string>{"cpu:0", "cpu:2"}));
}

TEST(PipelineReplicas, MustDivideTheDevices) {
  EXPECT_EQ(testing::message_of([] { PipelineParallel({.devices = Devices::parse("cpu*3"), .data = 2}); }),
            "PipelineParallel: data, the number of replicas, must be at least 1 and divide the number of devices, 3, "
            "got 2");
}

}  // namespace
}  // namespace tandem
