// Stages whose replicas divide gradients and parameters, too (ZeRO): the numbers of one device, and memory.
#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>

#include "tandem/core/device.h"
#include "tandem/distribution/mesh.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/add.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/constraints.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/embedding.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lambda.h"
#include "tandem/layers/regularizers.h"
#include "tandem/model/body.h"
#include "tandem/model/processes_case_test.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/loss_scale_optimizer.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;
using distribute::Mesh;
using distribute::MeshOptions;
using distribute::SingleDevice;

CompileOptions with_adam() {
  return {.optimizer = optimizers::Adam({.learning_rate = 0.01}),
          .loss = "categorical_crossentropy",
          .metrics = {"accuracy"}};
}

Model six_layers() {
  return Sequential({Input({6}), Dense(8, {.activation = "relu"}), Dropout(0.3), Dense(7, {.activation = "tanh"}),
                     Dense(8, {.activation = "relu"}), Dense(3, {.activation = "softmax"})});
}

// A layer that stages share, with a penalty and a constraint, and values that go past stages.
Model tied_layers() {
  const auto x = Input({6});
  const Dense shared(6, {.activation = "tanh",
                         .kernel_regularizer = regularizers::L2(0.01),
                         .kernel_constraint = constraints::MaxNorm(0.9)});
  const auto a = shared(x);
  const auto b = Dense(6, {.activation = "relu", .bias_regularizer = regularizers::L1(0.02)})(a);
  return Model(x, Dense(3, {.activation = "softmax"})(Concatenate()({Add()({a, shared(b)}), x})));
}

Task staged_task(const std::function<Model()>& build, int64_t rows = 22, const CompileOptions& compile = with_adam()) {
  return {build, compile, normal({rows, 6}, 1), one_hot(rows, 3, 2), {.batch_size = 8, .epochs = 2}};
}

Mesh staged(int64_t data, int64_t pipe, int64_t tensor, int64_t zero, MeshOptions options = {}) {
  options.devices = Devices::parse(c10::str("cpu*", data * pipe * tensor));
  options.data = data;
  options.pipe = pipe;
  options.tensor = tensor;
  options.zero = zero;
  options.threads_per_device = 1;
  return Mesh(options);
}

void expect_staged_as_one(const Task& task, int64_t data, int64_t pipe, int64_t tensor = 1,
                          const MeshOptions& options = {}) {
  const auto one = train(task, SingleDevice("cpu:0"));
  for (const int64_t zero : {2, 3}) {
    SCOPED_TRACE(c10::str("data ", data, " pipe ", pipe, " tensor ", tensor, " zero ", zero));
    expect_same(train(task, staged(data, pipe, tensor, zero, options)), one);
  }
}

TEST(StagedZero, AnyScheduleAndMicroBatches) {
  for (const char* schedule : {"gpipe", "1f1b"}) {
    for (const int64_t micro_batches : {1, 3})
      expect_staged_as_one(staged_task(six_layers), 2, 2, 1, {.micro_batches = micro_batches, .schedule = schedule});
  }
  expect_staged_as_one(staged_task(tied_layers), 2, 3);
  expect_staged_as_one(staged_task(tied_layers), 2, 2, 1, {.micro_batches = 2, .schedule = "interleaved", .chunks = 2});
  expect_staged_as_one(staged_task(tied_layers), 2, 2, 1, {.recompute = true});
}

TEST(StagedZero, ProductsOfEight) {
  expect_staged_as_one(staged_task(six_layers), 2, 2, 2);
  expect_staged_as_one(staged_task(tied_layers), 4, 2);
  expect_staged_as_one(staged_task(tied_layers), 2, 4);
}

TEST(StagedZero, ReplicasWithoutRowsOfSomeMicroBatches) {
  for (const int64_t rows : {1, 3, 9, 13}) expect_staged_as_one(staged_task(tied_layers, rows), 3, 2);
  expect_staged_as_one(staged_task(six_layers, 9), 2, 2, 2, {.recompute = true});
}

TEST(StagedZero, ClippingAccumulationWeightsAndScaledLosses) {
  auto compile = with_adam();
  compile.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9, .global_clipnorm = 0.05});
  expect_staged_as_one(staged_task(tied_layers, 22, compile), 2, 2);
  compile.optimizer = optimizers::SGD({.learning_rate = 0.1, .clipnorm = 0.05});
  expect_staged_as_one(staged_task(tied_layers, 22, compile), 2, 2, 2);
  compile.optimizer = optimizers::LossScaleOptimizer(optimizers::Adam({.learning_rate = 0.01}));
  expect_staged_as_one(staged_task(tied_layers, 22, compile), 2, 2);
  auto task = staged_task(tied_layers);
  task.fit.accumulate = 2;  // the last group is short
  task.fit.sample_weight = RandomStream(5).uniform({22}) * 2;
  expect_staged_as_one(task, 2, 2, 1, {.micro_batches = 2, .schedule = "interleaved", .chunks = 2});
}

// Counts of a loss are known behind the last forward, also to replicas that have no rows.
TEST(StagedZero, LossesOfMaskedValues) {
  const auto build = [] {
    const auto ids = Input({5}, {.dtype = "int64"});
    const auto words = Embedding(6, 4, {.mask_zero = true})(ids);
    return Model(ids, Dense(3, {.activation = "softmax"})(Dense(5, {.activation = "tanh"})(words)));
  };
  for (const int64_t rows : {3, 9, 14}) {
    Tensor ids = (RandomStream(3).uniform({rows, 5}) * 5).to(at::kLong) + 1;
    for (int64_t row = 0; row < rows; ++row) ids[row].slice(0, 1 + row % 4).zero_();
    auto compile = with_adam();
    compile.loss = "sparse_categorical_crossentropy";
    const Task task{
        build, compile, ids, (RandomStream(4).uniform({rows, 5}) * 3).to(at::kLong), {.batch_size = 8, .epochs = 2}};
    expect_staged_as_one(task, 3, 2);
  }
}

// What a part hands on may be a weight, whose memory goes when the part has been computed.
TEST(StagedZero, PartsThatHandOnAWeight) {
  struct Table : Layer {
    void build(const Shape& input) override { table_ = add_weight("table", {input.back()}, {.initializer = "ones"}); }
    Tensor call(const Tensor& x, const CallContext& /*context*/) override { return table_.value().expand(x.sizes()); }
    Weight table_;
  };
  const auto build = [] {
    const auto x = Input({6});
    const auto a = Dense(6, {.activation = "tanh"})(x);
    return Model(x, Dense(3, {.activation = "softmax"})(Add()({a, make_layer<Table>()(a)})));
  };
  expect_staged_as_one(staged_task(build), 2, 4);  // each layer is a part
  expect_staged_as_one(staged_task(build), 2, 2, 1,
                       {.micro_batches = 2, .schedule = "interleaved", .chunks = 2, .recompute = true});
}

TEST(StagedZero, MemoryBetweenStepsIsThatOfTheFormula) {
  constexpr int64_t kWidth = 256, kLayer = kWidth * kWidth + kWidth;
  const auto build = [] {
    Sequential model({Input({kWidth})});
    for (int i = 0; i < 4; ++i) model.add(Dense(kWidth, {.activation = "tanh"}));
    return model;
  };
  for (const int64_t zero : {0, 1, 2, 3}) {
    auto model = build();
    model.compile({.optimizer = "adam", .loss = "mse", .strategy = staged(4, 2, 1, zero, {.micro_batches = 2})});
    const Tensor x = normal({16, kWidth}, 1);
    const auto history = model.fit(x, x, {.batch_size = 16, .verbose = 0});
    for (int64_t device = 0; device < 8; device += 2) {  // the stages of a replica, wherever they are cut
      const auto expect = [&](int64_t bytes, double a_parameter, const char* what) {
        const double want = a_parameter * 4 * kLayer;
        EXPECT_GE(static_cast<double>(bytes), want) << what << ", zero " << zero << ", device " << device;
        EXPECT_LE(static_cast<double>(bytes), 1.01 * want) << what << ", zero " << zero << ", device " << device;
      };
      expect(history.parameter_bytes(device) + history.parameter_bytes(device + 1), zero == 3 ? 1 : 4, "parameters");
      expect(history.gradient_bytes(device) + history.gradient_bytes(device + 1), zero >= 2 ? 1 : 4, "gradients");
      expect(history.optimizer_bytes(device) + history.optimizer_bytes(device + 1), zero >= 1 ? 2 : 8, "optimizer");
    }
  }
}

TEST(StagedZero, OverProcesses) {
  const auto task = staged_task(tied_layers, 25);  // the last batch has one row
  const auto one = train_with(task, {1, 1},
                              [](const distribute::ProcessGroup&, const Devices&) { return SingleDevice("cpu:0"); })[0];
  struct Layout {
    Grid grid;
    int64_t tensor;
  };
  for (const auto& [grid, tensor] : {Layout{{4, 1}, 1}, Layout{{2, 2}, 1}, Layout{{8, 1}, 2}}) {
    for (const int64_t zero : {2, 3}) {
      SCOPED_TRACE(c10::str(grid.processes, " processes of ", grid.devices, " devices, zero ", zero));
      const auto all = train_with(task, grid, [&](const distribute::ProcessGroup& group, const Devices& own) {
        return Mesh({.devices = own,
                     .group = group,
                     .data = 2,
                     .pipe = 2,
                     .tensor = tensor,
                     .zero = zero,
                     .threads_per_device = 1});
      });
      for (const auto& got : all) expect_same(got, one);
    }
  }
}

// A step that fails on one rank leaves nothing behind that the next one would stumble over.
TEST(StagedZero, GoesOnAfterAStepThatFailed) {
  for (const int64_t zero : {2, 3}) {
    SCOPED_TRACE(zero);
    std::atomic<int64_t> calls{-1000};
    const auto fails = [&calls](const Tensor& x) {
      if (++calls == 3) throw InvalidArgument("the third call");
      return x * 1.0;
    };
    const auto x = Input({6});
    const auto y = Lambda(fails)(Dense(8, {.activation = "tanh"})(Dense(8)(x)));
    Model model(x, Dense(3, {.kernel_regularizer = regularizers::L2(0.01)})(y));
    model.compile({.optimizer = "adam", .loss = "mse", .strategy = staged(2, 2, 1, zero)});
    const Tensor rows = normal({16, 6}, 1), targets = normal({16, 3}, 2);
    calls = 0;
    EXPECT_NE(
        testing::message_of([&] { model.fit(rows, targets, {.batch_size = 8, .verbose = 0}); }).find("the third call"),
        std::string::npos);
    const double before = model.evaluate(rows, targets, {.verbose = 0})["loss"];
    model.fit(rows, targets, {.batch_size = 8, .epochs = 30, .verbose = 0});
    EXPECT_LT(model.evaluate(rows, targets, {.verbose = 0})["loss"], before);
  }
}

TEST(StagedZero, SaysWhenLayersCompute) {
  Sequential model({Input({6}), Dense(8, {.name = "first"}), Dense(3, {.name = "last"})});
  model.compile({.optimizer = "adam", .loss = "mse", .strategy = staged(2, 2, 1, 3)});
  auto& execution = model.body().trainer().execution();
  execution.record_trace(true);
  model.fit(normal({8, 6}, 1), normal({8, 3}, 2), {.batch_size = 8, .verbose = 0});
  std::map<std::string, std::set<std::string>> devices;
  for (const auto& span : execution.trace()) devices[span.layer].insert(span.device);
  EXPECT_EQ(devices.at("first"), (std::set<std::string>{"cpu:0", "cpu:2"}));
  EXPECT_EQ(devices.at("last"), (std::set<std::string>{"cpu:1", "cpu:3"}));
  const auto ledger = execution.ledger(0);
  ASSERT_EQ(ledger.exchanges.size(), 1U);
  EXPECT_GT(ledger.exchanges[0].times.finished, ledger.backward_began);
}

}  // namespace
}  // namespace tandem
