// Pipelines of stages: the numbers of one device, for any schedule, division and number of micro batches.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>

#include "tandem/core/device.h"
#include "tandem/distribution/pipeline_parallel.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/activity_regularization.h"
#include "tandem/layers/add.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/embedding.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lstm.h"
#include "tandem/layers/regularizers.h"
#include "tandem/losses/dice.h"
#include "tandem/losses/sparse_categorical_crossentropy.h"
#include "tandem/model/body.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/loss_scale_optimizer.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;
using distribute::PipelineParallel;
using testing::message_of;

Devices cpus(int64_t n) { return Devices::parse("cpu*" + std::to_string(n)); }

CompileOptions categorical() {
  return {.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}),
          .loss = "categorical_crossentropy",
          .metrics = {"accuracy"}};
}

Model layer_chain() {
  return Sequential({Input({6}), Dense(8, {.activation = "relu"}), Dropout(0.3), Dense(8, {.activation = "tanh"}),
                     Dense(8, {.activation = "relu"}), Dense(3, {.activation = "softmax"})});
}

// Values that go past stages, and a layer that two of them share.
Model crossing() {
  const auto x = Input({6});
  const Dense shared(6, {.activation = "tanh", .kernel_regularizer = regularizers::L2(0.01)});
  const auto a = shared(x);
  const auto b = Dense(6, {.activation = "relu"})(a);
  const auto c = shared(b);
  const auto d = Concatenate()({Add()({a, c}), x});
  return Model(x, Dense(3, {.activation = "softmax"})(d));
}

Task task_of(const std::function<Model()>& build, const CompileOptions& compile = categorical(), int64_t rows = 22) {
  return {build, compile, normal({rows, 6}, 1), one_hot(rows, 3, 2), {.batch_size = 8, .epochs = 2}};
}

void expect_as_one(const Task& task, const distribute::PipelineParallelOptions& options) {
  expect_same(train(task, PipelineParallel(options)), train(task, distribute::SingleDevice("cpu:0")));
}

TEST(Pipeline, AnyScheduleStagesAndMicroBatches) {
  for (const char* schedule : {"gpipe", "1f1b"}) {
    for (const int64_t stages : {1, 2, 3, 4}) {
      for (const int64_t micro_batches : {1, 3, 4}) {
        SCOPED_TRACE(std::string(schedule) + ", " + std::to_string(stages) + " stages, " +
                     std::to_string(micro_batches) + " micro batches");
        expect_as_one(
            task_of(layer_chain),
            {.devices = cpus(stages), .micro_batches = micro_batches, .schedule = schedule, .threads_per_device = 1});
      }
    }
  }
}

TEST(Pipeline, InterleavedChunks) {
  for (const int64_t micro_batches : {2, 4}) {
    expect_as_one(task_of(layer_chain), {.devices = cpus(2),
                                         .micro_batches = micro_batches,
                                         .schedule = "interleaved",
                                         .chunks = 2,
                                         .threads_per_device = 1});
    expect_as_one(task_of(crossing), {.devices = cpus(2),
                                      .micro_batches = micro_batches,
                                      .schedule = "interleaved",
                                      .chunks = 2,
                                      .threads_per_device = 1});
  }
  expect_as_one(task_of(layer_chain), {.devices = cpus(1), .micro_batches = 2, .schedule = "interleaved", .chunks = 3});
  expect_as_one(task_of(layer_chain), {.devices = cpus(2), .micro_batches = 3, .schedule = "gpipe", .chunks = 2});
}

TEST(Pipeline, SkipConnectionsAndSharedLayersCrossStages) {
  for (const char* schedule : {"gpipe", "1f1b"}) {
    for (const int64_t stages : {2, 3, 5})
      expect_as_one(task_of(crossing),
                    {.devices = cpus(stages), .micro_batches = 4, .schedule = schedule, .threads_per_device = 1});
  }
}

TEST(Pipeline, FewerRowsThanMicroBatches) {
  for (const int64_t rows : {1, 2, 5}) expect_as_one(task_of(layer_chain, categorical(), rows), {.devices = cpus(2)});
}

TEST(Pipeline, TwoInputsAndOutputsOfDifferentStages) {
  const auto build = [] {
    const auto a = Input({4}, {.name = "a"}), b = Input({4}, {.name = "b"});
    const auto x = Dense(5, {.activation = "tanh"})(a);
    const auto early = Dense(2, {.name = "early"})(x);
    const auto y = Dense(5, {.activation = "relu"})(Concatenate()({x, b}));
    return Model({a, b}, {early, Dense(3, {.activation = "softmax", .name = "late"})(Dense(6)(y))});
  };
  const CompileOptions compile{.optimizer = optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9}),
                               .loss = {"mse", "categorical_crossentropy"},
                               .loss_weights = {0.5, 1.0},
                               .metrics = {{"late", {"accuracy"}}, {"early", {"mse"}}}};
  const Task task{build,
                  compile,
                  {normal({17, 4}, 1), normal({17, 4}, 2)},
                  {normal({17, 2}, 4), one_hot(17, 3, 3)},
                  {.batch_size = 5, .epochs = 2}};
  for (const int64_t stages : {2, 3, 4}) expect_as_one(task, {.devices = cpus(stages), .threads_per_device = 1});
}

TEST(Pipeline, OptimizersClippingAndAccumulation) {
  auto compile = categorical();
  for (const char* name : {"adam", "rmsprop", "lamb"}) {
    SCOPED_TRACE(name);
    compile.optimizer = name;
    expect_as_one(task_of(crossing, compile), {.devices = cpus(3)});
  }
  for (const auto& clipped : {optimizers::SGD({.learning_rate = 0.1, .clipnorm = 0.05}),
                              optimizers::SGD({.learning_rate = 0.1, .clipvalue = 0.02}),
                              optimizers::SGD({.learning_rate = 0.1, .global_clipnorm = 0.05})}) {
    compile.optimizer = clipped;
    expect_as_one(task_of(crossing, compile), {.devices = cpus(3)});
  }
  auto task = task_of(crossing);
  task.fit.accumulate = 2;
  expect_as_one(task, {.devices = cpus(2)});
  task = task_of(crossing);
  task.fit.sample_weight = RandomStream(5).uniform({22}) * 2;
  expect_as_one(task, {.devices = cpus(2)});
}

TEST(Pipeline, RecomputingGivesTheSameBits) {
  const auto build = [] {
    return Sequential({Input({6}), Dense(8, {.activation = "relu"}), Dropout(0.3, {.name = "end"}),
                       BatchNormalization(), Dense(8), ActivityRegularization({.l2 = 0.01}),
                       Dense(3, {.activation = "softmax"})});
  };
  const auto trained = [&](bool recompute) {
    return train(
        task_of(build),
        PipelineParallel({.devices = cpus(2), .boundaries = {"end"}, .recompute = recompute, .threads_per_device = 1}));
  };
  const auto once = trained(false), twice = trained(true);
  for (std::size_t i = 0; i < once.weights.size(); ++i) EXPECT_TRUE(at::equal(once.weights[i], twice.weights[i])) << i;
  EXPECT_EQ(once.history["loss"], twice.history["loss"]);
}

// The averages move by the mean and the variance of all rows, whatever micro batches normalise by.
TEST(Pipeline, MovingAveragesMoveOnceByTheWholeBatch) {
  Sequential model({Input({3}), BatchNormalization({.momentum = 0.5}), Dense(2)});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}),
                 .loss = "mse",
                 .strategy = PipelineParallel({.devices = cpus(2), .micro_batches = 3})});
  const Tensor x = normal({7, 3}, 1) * 3 + 5;
  model.fit(x, normal({7, 2}, 2), {.batch_size = 7, .verbose = 0});
  const auto weights = model.get_weights();  // gamma, beta, the averages, kernel, bias
  EXPECT_TRUE(at::allclose(weights[2], x.mean(0) * 0.5, 1e-5, 1e-5));
  EXPECT_TRUE(at::allclose(weights[3], 0.5 + x.var(0, false) * 0.5, 1e-5, 1e-5));
}

// Each adds up gradients in the order of the micro batches.
// Wherever the time goes: the calls of a layer with statistics are on one stage.
TEST(Pipeline, IsNotCutBetweenCallsOfALayerWithStatistics) {
  const auto build = [] {
    const auto x = Input({6});
    const BatchNormalization twice;
    return Model(x, Dense(3, {.activation = "softmax"})(twice(Dense(6)(twice(x)))));
  };
  for (int attempt = 0; attempt < 3; ++attempt)
    expect_as_one(task_of(build), {.devices = cpus(2), .micro_batches = 1, .threads_per_device = 1});
}

TEST(Pipeline, SchedulesGiveTheSameBits) {
  const auto build = [] {
    return Sequential({Input({6, 6, 2}), Conv2D(4, 3, {.padding = "same", .name = "p"}), BatchNormalization(),
                       Flatten({.name = "q"}), Dense(6), BatchNormalization({.name = "r"}),
                       Dense(3, {.activation = "softmax"})});
  };
  const Task task{build, categorical(), normal({22, 6, 6, 2}, 1), one_hot(22, 3, 2), {.batch_size = 8, .epochs = 2}};
  const auto by = [&](const char* schedule, int64_t chunks, const std::vector<std::string>& boundaries) {
    return train(task, PipelineParallel({.devices = cpus(2),
                                         .schedule = schedule,
                                         .chunks = chunks,
                                         .boundaries = boundaries,
                                         .threads_per_device = 1}));
  };
  const auto gpipe = by("gpipe", 1, {"q"});
  for (const auto& other :
       {by("1f1b", 1, {"q"}), by("gpipe", 2, {"p", "q", "r"}), by("interleaved", 2, {"p", "q", "r"})}) {
    for (std::size_t i = 0; i < gpipe.weights.size(); ++i)
      EXPECT_TRUE(at::equal(other.weights[i], gpipe.weights[i])) << i;
  }
}

/// Adds nothing, and keeps a tensor for backward that says when it is gone.
struct Watched : Layer {
  explicit Watched(std::shared_ptr<std::atomic<int>> alive, std::shared_ptr<std::atomic<int>> most)
      : alive_(std::move(alive)), most_(std::move(most)) {}
  Shape output_shape(const Shape& input) override { return input; }
  Tensor call(const Tensor& x, const CallContext& context) override {
    if (!context.training) return x;
    auto* memory = new float(1);
    const int now = ++*alive_;
    for (int seen = *most_; seen < now && !most_->compare_exchange_weak(seen, now);) continue;
    const auto freed = [alive = alive_](void* p) {
      --*alive;
      delete static_cast<float*>(p);
    };
    return x * at::from_blob(memory, {1}, freed, x.options());  // kept for x's gradient
  }

 private:
  std::shared_ptr<std::atomic<int>> alive_, most_;
};

TEST(Pipeline, KeepsNoMoreMicroBatchesAliveThanTheScheduleSays) {
  const auto most_alive = [](const char* schedule, bool recompute) {
    const auto alive = std::make_shared<std::atomic<int>>(0), most = std::make_shared<std::atomic<int>>(0);
    Sequential model({Input({6}), Dense(8), make_layer<Watched>(alive, most), Dense(8, {.name = "end"}),
                      Dense(3, {.activation = "softmax"})});
    auto compile = categorical();
    compile.strategy = PipelineParallel(
        {.devices = cpus(2), .micro_batches = 8, .schedule = schedule, .boundaries = {"end"}, .recompute = recompute});
    model.compile(compile);
    model.fit(normal({16, 6}, 1), one_hot(16, 3, 2), {.batch_size = 16, .epochs = 2, .verbose = 0});
    EXPECT_EQ(alive->load(), 0);
    return most->load();
  };
  EXPECT_EQ(most_alive("gpipe", false), 8);
  EXPECT_EQ(most_alive("1f1b", false), 2);
  EXPECT_EQ(most_alive("gpipe", true), 1);
}

TEST(Pipeline, StagesAreWhereScopesAndNamesSay) {
  const auto stages = [](Model model, const distribute::PipelineParallelOptions& options) {
    auto compile = categorical();
    compile.strategy = PipelineParallel(options);
    model.compile(compile);
    auto& execution = model.body().trainer().execution();
    execution.record_trace(true);
    model.train_on_batch(normal({4, 6}, 1), one_hot(4, 3, 2));
    std::map<std::string, std::string> device;
    for (const auto& span : execution.trace()) device[span.layer] = span.device;
    return device;
  };
  const auto named = stages(Sequential({Input({6}), Dense(8, {.name = "p"}), Dense(8, {.name = "q"}),
                                        Dense(3, {.activation = "softmax", .name = "r"})}),
                            {.devices = cpus(2), .boundaries = {"p"}});
  EXPECT_EQ(named.at("p"), "cpu:0");
  EXPECT_EQ(named.at("q"), "cpu:1");
  EXPECT_EQ(named.at("r"), "cpu:1");
  const auto scoped = stages(
      [] {
        const auto x = Input({6});
        KerasTensor y;
        {
          const DeviceScope first("cpu:0");
          y = Dense(8, {.name = "a"})(Dense(8, {.name = "b"})(Dense(8, {.name = "c"})(x)));
        }
        const DeviceScope second("cpu:1");
        return Model(x, Dense(3, {.activation = "softmax", .name = "d"})(y));
      }(),
      {.devices = cpus(2)});
  EXPECT_EQ(scoped.at("a"), "cpu:0");
  EXPECT_EQ(scoped.at("c"), "cpu:0");
  EXPECT_EQ(scoped.at("d"), "cpu:1");
}

TEST(Pipeline, GoesOnFromAnotherLayout) {
  const Task task =
      task_of(crossing, {.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "categorical_crossentropy"});
  const auto half = [&](Model& model, const distribute::Strategy& strategy, const StateDict* state) {
    auto compile = task.compile;
    compile.strategy = strategy;
    model.compile(compile);
    if (state) model.body().set_optimizer_state(*state);
    model.fit(task.x, task.y, {.batch_size = 8, .epochs = 1, .verbose = 0, .shuffle = false});
    return model.body().optimizer_state();
  };
  const auto both = [&](const distribute::Strategy& first, const distribute::Strategy& second) {
    set_random_seed(4);
    Model model = task.build();
    const auto state = half(model, first, nullptr);
    half(model, second, &state);
    return model.get_weights();
  };
  const distribute::SingleDevice one("cpu:0");
  const PipelineParallel two({.devices = cpus(2)}), three({.devices = cpus(3), .schedule = "gpipe"});
  const auto want = both(one, one), got = both(two, three), back = both(three, one);
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_TRUE(at::allclose(got[i], want[i], 1e-5, 1e-5)) << i;
    EXPECT_TRUE(at::allclose(back[i], want[i], 1e-5, 1e-5)) << i;
  }
}

TEST(Pipeline, SendsWhatCrossesStages) {
  Sequential model({Input({6}), Dense(8, {.name = "end"}), Dense(3, {.activation = "softmax"})});
  auto compile = categorical();
  compile.strategy = PipelineParallel({.devices = cpus(2), .micro_batches = 2, .boundaries = {"end"}});
  model.compile(compile);
  const auto history = model.fit(normal({16, 6}, 1), one_hot(16, 3, 2), {.batch_size = 16, .verbose = 0});
  const int64_t activations = 16 * 8 * 4;
  for (const int64_t device : {0, 1}) {  // forward one way, backward the other, and a few bytes that say what comes
    EXPECT_GE(history.bytes_sent(device), activations);
    EXPECT_LT(history.bytes_sent(device), activations + 2 * 200);
  }
  EXPECT_EQ(history.rows_per_device(), (std::vector<int64_t>{16, 16}));
}

TEST(Pipeline, AFailureOnOneStageEndsAllAndIsThrown) {
  struct Fails : Layer {
    Shape output_shape(const Shape& input) override { return input; }
    Tensor call(const Tensor& x, const CallContext& context) override {
      if (context.training && ++calls_ == 3) throw InvalidArgument("the third micro batch");
      return x;
    }
    int calls_ = 0;
  };
  Sequential model({Input({6}), Dense(8, {.name = "end"}), make_layer<Fails>(), Dense(3, {.activation = "softmax"})});
  auto compile = categorical();
  compile.strategy = PipelineParallel({.devices = cpus(2), .boundaries = {"end"}});
  model.compile(compile);
  const Tensor x = normal({16, 6}, 1), y = one_hot(16, 3, 2);
  EXPECT_NE(message_of([&] { model.train_on_batch(x, y); }).find("the third micro batch"), std::string::npos);
  model.train_on_batch(x, y);  // and the next step works
}

TEST(Pipeline, RefusesWhatCannotBeStaged) {
  const auto refused = [](Model model, distribute::PipelineParallelOptions options, LossArgument loss = "mse") {
    return message_of([&] {
      if (options.devices.empty()) options.devices = cpus(2);
      model.compile({.loss = loss, .strategy = PipelineParallel(options)});
      model.fit(normal({4, 6}, 1), normal({4, 3}, 2), {.verbose = 0});
    });
  };
  EXPECT_EQ(message_of([] { PipelineParallel(distribute::PipelineParallelOptions{}); }),
            "PipelineParallel: must get a device for each stage, e.g. {.devices = {\"cpu:0\", \"cpu:1\"}}");
  EXPECT_EQ(refused(layer_chain(), {.micro_batches = 3, .schedule = "interleaved", .chunks = 2}).substr(0, 30),
            "PipelineParallel: interleaved:");
  EXPECT_EQ(refused(Sequential({Input({6}), Dense(8, {.name = "hidden"}), Dense(3)}), {.boundaries = {"hiden"}}),
            "PipelineParallel: boundaries name layer 'hiden', which the model has not; did you mean 'hidden'?");
  EXPECT_EQ(refused(Sequential({Input({6}), Dense(3)}), {}),
            "PipelineParallel: a model of 1 layers must have no more parts than that, got 2");
  EXPECT_NE(refused(layer_chain(), {}, losses::Dice()).find("must not need the whole batch at once"),
            std::string::npos);
  EXPECT_EQ(
      refused(Sequential({Input({6}), BatchNormalization({.synchronized = true, .name = "all"}), Dense(3)}, "net"), {}),
      "PipelineParallel: model 'net': must have no synchronized batch normalisation, got 'all' (BatchNormalization)");
  EXPECT_EQ(
      refused(
          Sequential({Input({2, 3}, {.batch_size = 4}), LSTM(3, {.stateful = true, .name = "kept"}), Dense(3)}, "net"),
          {}),
      "PipelineParallel: model 'net': must have no stateful layer, which would see micro batches, got 'kept' "
      "(LSTM)");
  const auto x = Input({6});
  const BatchNormalization twice({.name = "twice"});
  const auto middle = Dense(6, {.name = "end"})(twice(x));
  EXPECT_EQ(refused(Model(x, Dense(3)(twice(middle)), "net"), {.boundaries = {"end"}}),
            "PipelineParallel: model 'net': must call layer 'twice' (BatchNormalization) on one stage, since it has "
            "statistics: 'moving_mean'");
}

}  // namespace
}  // namespace tandem
