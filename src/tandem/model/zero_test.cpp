// ZeRO: the numbers of one device with memory divided over ranks.
#include "tandem/distribution/zero.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <map>

#include "tandem/core/random.h"
#include "tandem/distribution/mesh.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/activity_regularization.h"
#include "tandem/layers/add.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/constraints.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/embedding.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lambda.h"
#include "tandem/layers/lstm.h"
#include "tandem/layers/regularizers.h"
#include "tandem/model/body.h"
#include "tandem/model/load_model.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/adamw.h"
#include "tandem/optimizers/lamb.h"
#include "tandem/optimizers/loss_scale_optimizer.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;
using distribute::Zero;
using testing::message_of;

Devices zero_devices(int64_t n) { return Devices::parse("cpu*" + std::to_string(n)); }

distribute::Strategy zero_on(int64_t n, int64_t stage, int64_t bucket_bytes = 256) {
  return Zero({.devices = zero_devices(n), .stage = stage, .threads_per_device = 1, .bucket_bytes = bucket_bytes});
}

// A layer that is called twice, one that is frozen, a penalty, a constraint, and a loss that a layer adds.
Model all_kinds_of_layers() {
  const auto x = Input({6}), z = Input({4});
  const Dense shared(6, {.activation = "tanh", .kernel_regularizer = regularizers::L2(0.01)});
  const auto a = shared(shared(x));
  Dense frozen(5, {.activation = "relu"});
  frozen->set_trainable(false);
  const auto b = frozen(z);
  const auto c = ActivityRegularization({.l2 = 0.01})(Concatenate()({a, b, x}));
  const auto d = Dense(9, {.activation = "relu", .kernel_constraint = constraints::MaxNorm(0.9)})(c);
  return Model({x, z},
               {Dense(3, {.activation = "softmax", .name = "kind"})(Dropout(0.2)(d)), Dense(2, {.name = "size"})(d)});
}

Task zero_task(const Handle<Optimizer>& optimizer, int64_t rows = 21) {
  return {all_kinds_of_layers,
          {.optimizer = optimizer, .loss = {"categorical_crossentropy", "mse"}},
          {normal({rows, 6}, 1), normal({rows, 4}, 2)},
          {one_hot(rows, 3, 3), normal({rows, 2}, 4)},
          {.batch_size = 8, .epochs = 2}};
}

void expect_zero_as_one(const Task& task, std::initializer_list<int64_t> devices = {2, 3}) {
  const auto one = train(task, 1);
  for (const double loss : one.history["loss"]) ASSERT_TRUE(std::isfinite(loss));
  for (const int64_t stage : {1, 2, 3}) {
    for (const int64_t n : devices) {
      SCOPED_TRACE("stage " + std::to_string(stage) + " on " + std::to_string(n));
      expect_same(train(task, zero_on(n, stage)), one);
    }
  }
}

TEST(Zero, GivesTheNumbersOfOneDevice) {
  expect_zero_as_one(zero_task(optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9})), {1, 2, 3, 4});
}

TEST(Zero, UpdatesAsEachOptimizerDoes) {
  expect_zero_as_one(zero_task(optimizers::SGD({.learning_rate = 0.1})));
  expect_zero_as_one(zero_task(optimizers::AdamW({.learning_rate = 0.01, .weight_decay = 0.1})));
  expect_zero_as_one(zero_task(optimizers::SGD({.learning_rate = 0.1, .clipnorm = 0.1})));
  expect_zero_as_one(zero_task(optimizers::SGD({.learning_rate = 0.1, .clipvalue = 0.01})));
  expect_zero_as_one(zero_task(optimizers::SGD({.learning_rate = 0.1, .global_clipnorm = 0.2})));
  expect_zero_as_one(zero_task(optimizers::SGD({.learning_rate = 0.1, .use_ema = true})));
  expect_zero_as_one(zero_task(optimizers::SGD({.learning_rate = 0.1, .gradient_accumulation_steps = 2})));
  expect_zero_as_one(zero_task(optimizers::LossScaleOptimizer(optimizers::SGD({.learning_rate = 0.1}))));
}

TEST(Zero, AccumulatesAndWeighs) {
  auto task = zero_task(optimizers::Adam({.learning_rate = 0.01, .global_clipnorm = 0.5}), 29);
  task.fit = {.batch_size = 6, .epochs = 2, .accumulate = 3};
  expect_zero_as_one(task, {2, 4});
}

TEST(Zero, TakesFewerRowsThanDevices) {
  for (const int64_t rows : {1, 3}) expect_zero_as_one(zero_task(optimizers::SGD({.learning_rate = 0.1}), rows), {4});
  auto task = zero_task(optimizers::SGD({.learning_rate = 0.1}), 7);
  task.fit = {.batch_size = 6, .epochs = 2, .accumulate = 2};  // the last batch of a group has one row
  expect_zero_as_one(task, {3});
}

TEST(Zero, HoldsLayersOfManyWeights) {
  expect_zero_as_one({[] {
                        return Sequential({Input({5}), Embedding(11, 6), LSTM(7), Dense(4)});
                      },
                      {.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse"},
                      (RandomStream(1).uniform({13, 5}) * 11).floor(),
                      normal({13, 4}, 2),
                      {.batch_size = 5, .epochs = 2}});
  expect_zero_as_one(
      {[] {
         return Sequential({Input({6, 6, 2}), Conv2D(5, {3, 3}, {.activation = "relu"}), Flatten(), Dense(2)});
       },
       {.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"},
       normal({13, 6, 6, 2}, 3),
       normal({13, 2}, 4),
       {.batch_size = 5, .epochs = 2, .sample_weight = RandomStream(5).uniform({13})}});
}

// Of a rank's storages; a few million parameters in layers larger and smaller than a bucket.
TEST(Zero, MemoryBetweenStepsIsThatOfTheFormula) {
  constexpr double kParameters = 512 * 2048 + 2048 + 2048 * 640 + 640 + 640 * 64 + 64;
  for (const int64_t n : {2, 4}) {
    for (const int64_t stage : {1, 2, 3}) {
      SCOPED_TRACE("stage " + std::to_string(stage) + " on " + std::to_string(n));
      Sequential model({Input({512}), Dense(2048, {.activation = "relu"}), Dense(640), Dense(64)});
      model.compile({.optimizer = optimizers::Adam(), .loss = "mse", .strategy = zero_on(n, stage, 1 << 20)});
      const auto history = model.fit(normal({8, 512}, 1), normal({8, 64}, 2), {.batch_size = 4, .verbose = 0});
      const auto& execution = model.body().trainer().execution();
      const auto ranks = static_cast<double>(n);
      const double whole = 4 * kParameters, part = whole / ranks;
      for (int64_t r = 0; r < n; ++r) {
        const auto memory = execution.memory(r);
        const double parameters = stage == 3 ? part : whole, gradients = stage == 1 ? whole : part;
        EXPECT_NEAR(static_cast<double>(memory.parameters), parameters, 0.01 * parameters);
        EXPECT_NEAR(static_cast<double>(memory.gradients), gradients, 0.01 * gradients);
        EXPECT_NEAR(static_cast<double>(memory.optimizer), 2 * part, 0.02 * part);
        EXPECT_EQ(history.parameter_bytes(r), memory.parameters);
        EXPECT_EQ(history.gradient_bytes(r), memory.gradients);
        EXPECT_EQ(history.optimizer_bytes(r), memory.optimizer);
      }
    }
  }
}

// 4.2 million parameters in 16 layers of a bucket each. Mirrored has 16 bytes a parameter: 67 MB. A rank of four with
// ZeRO 3 has a quarter of that, and beside it what is gathered and made for a few layers at a time; with all parameters
// or all gradients at once it would pass the limit.
TEST(Zero, TrainsWhatDoesNotFitOneRank) {
  constexpr int64_t kUnits = 512, kLimit = 29 << 20;
  const auto train_within = [](const distribute::Strategy& strategy) {
    set_random_seed(5);
    Sequential model({Input({kUnits})});
    for (int i = 0; i < 16; ++i) model.add(Dense(kUnits, {.activation = "tanh"}));
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-4}), .loss = "mse", .strategy = strategy});
    const Tensor x = normal({8, kUnits}, 1), y = normal({8, kUnits}, 2);
    model.fit(x, y, {.batch_size = 4, .epochs = 2, .verbose = 0});
    model.evaluate(x, y, {.verbose = 0});
    return model.predict(x);
  };
  const auto four = zero_devices(4);
  const auto message = message_of(
      [&] { train_within(distribute::Mirrored({.devices = four, .threads_per_device = 1, .memory_limit = kLimit})); });
  EXPECT_EQ(message.find("rank "), 0U) << message;
  EXPECT_NE(message.find(": out of memory: memory_limit is " + std::to_string(kLimit) + " bytes, "), std::string::npos)
      << message;
  const Tensor got = train_within(Zero({.devices = four, .stage = 3, .threads_per_device = 1, .memory_limit = kLimit}));
  const Tensor want = train_within(distribute::SingleDevice("cpu:0"));
  EXPECT_EQ(testing::difference(got, want, 1e-4), "");
  // Nor would half of the layers fit, of which a stage of a pipeline has 34 MB.
  const auto staged = [&](int64_t data, int64_t tensor, int64_t zero, int64_t limit) {
    return train_within(distribute::Mesh({.devices = zero_devices(2 * data * tensor),
                                          .data = data,
                                          .pipe = 2,
                                          .tensor = tensor,
                                          .micro_batches = 2,
                                          .zero = zero,
                                          .threads_per_device = 1,
                                          .memory_limit = limit}));
  };
  EXPECT_NE(message_of([&] { staged(2, 1, 0, kLimit); }).find(": out of memory: "), std::string::npos);
  EXPECT_EQ(testing::difference(staged(2, 1, 3, kLimit), want, 1e-4), "");
  // Of parts that take alike the last device may be named, too.
  const auto of_four = message_of([&] { staged(1, 2, 0, kLimit / 4); });
  EXPECT_TRUE(of_four.find("rank 0: out of memory") == 0 || of_four.find("rank 1: out of memory") == 0 ||
              of_four.find("rank 2: out of memory") == 0 || of_four.find("rank 3: out of memory") == 0)
      << of_four;
}

TEST(Zero, ComputesInSixteenBits) {
  for (const std::string precision : {"mixed_bfloat16", "mixed_float16"}) {
    auto task = zero_task(optimizers::SGD({.learning_rate = 0.1}));
    task.compile.precision = precision;
    const auto mirrored = train(task, 2);
    for (const int64_t stage : {1, 2, 3}) {
      SCOPED_TRACE(precision + ", stage " + std::to_string(stage));
      expect_same(train(task, zero_on(2, stage)), mirrored);
    }
  }
}

// A step that fails on one rank leaves nothing behind that the next one would stumble over.
TEST(Zero, GoesOnAfterAStepThatFailed) {
  for (const int64_t stage : {1, 2, 3}) {
    SCOPED_TRACE(stage);
    std::atomic<int64_t> calls{-1000};
    const auto fails = [&calls](const Tensor& x) {
      if (++calls == 3) throw InvalidArgument("the third call");
      return x * 1.0;
    };
    const auto x = Input({6});
    Model model(x, Dense(3)(Lambda(fails)(Dense(8, {.activation = "tanh"})(x))));
    model.compile({.optimizer = optimizers::Adam(), .loss = "mse", .strategy = zero_on(2, stage)});
    const Tensor rows = normal({16, 6}, 1), targets = normal({16, 3}, 2);
    const FitOptions once{.batch_size = 4, .verbose = 0};
    calls = 0;
    EXPECT_NE(message_of([&] { model.fit(rows, targets, once); }).find("the third call"), std::string::npos);
    const double before = model.evaluate(rows, targets, {.verbose = 0})["loss"];
    model.fit(rows, targets, {.batch_size = 4, .epochs = 20, .verbose = 0});
    EXPECT_LT(model.evaluate(rows, targets, {.verbose = 0})["loss"], before);
  }
}

// U60, U62: Adam, saved at step 10 by one number of ranks, resumed on another: step 20 is that of one device without a
// break.
TEST(Zero, FilesOpenOnAnyOtherLayout) {
  const testing::TemporaryFolder folder;
  const Tensor x = normal({40, 6}, 1), y = one_hot(40, 3, 2);
  const FitOptions ten_steps{.batch_size = 4, .epochs = 1, .verbose = 0, .shuffle = false};
  const auto compile = [](Model& model, const distribute::Strategy& strategy) {
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                   .loss = "categorical_crossentropy",
                   .strategy = strategy});
  };
  const auto begin = [&](const distribute::Strategy& strategy) {
    set_random_seed(7);
    Sequential model({Input({6}), Dense(8, {.activation = "tanh"}), Dense(3, {.activation = "softmax"})});
    compile(model, strategy);
    model.fit(x, y, ten_steps);
    return Model(model);
  };
  const distribute::Strategy one = distribute::SingleDevice("cpu:0");
  Model unbroken = begin(one);
  unbroken.fit(x, y, ten_steps);
  const auto go_on = [&](const std::string& path, const distribute::Strategy& strategy) {
    Model model = load_model(path, {.strategy = strategy});
    model.fit(x, y, ten_steps);
    const auto got = model.get_weights(), want = unbroken.get_weights();
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(testing::difference(got[i], want[i], 1e-5), "") << i;
  };
  for (const int64_t stage : {1, 2, 3}) {
    SCOPED_TRACE(stage);
    const auto path = (folder.path() / "sharded.keras").string(), plain = (folder.path() / "plain.keras").string();
    begin(zero_on(4, stage)).save(path);
    go_on(path, one);
    for (const int64_t n : {1, 2, 3}) go_on(path, zero_on(n, 4 - stage));
    begin(one).save(plain);
    go_on(plain, zero_on(4, stage));
  }
}

TEST(Zero, TakesShares) {
  const auto task = zero_task(optimizers::Adam({.learning_rate = 0.01}));
  const auto one = train(task, 1);
  for (const int64_t stage : {1, 2, 3}) {
    const auto got = train(task, Zero({.devices = zero_devices(2),
                                       .stage = stage,
                                       .threads_per_device = 1,
                                       .shares = {3, 1},
                                       .bucket_bytes = 256}));
    expect_same(got, one);
    EXPECT_GT(got.history.rows_per_device()[0], 2 * got.history.rows_per_device()[1]);
  }
}

TEST(Zero, SaysWhenLayersCompute) {
  Sequential model({Input({6}), Dense(8, {.activation = "tanh", .name = "first"}), Dense(3, {.name = "second"})});
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = zero_on(2, 3)});
  auto& execution = model.body().trainer().execution();
  execution.record_trace(true);
  model.fit(normal({8, 6}, 1), normal({8, 3}, 2), {.batch_size = 4, .verbose = 0});
  execution.record_trace(false);
  std::map<std::string, int64_t> calls;
  for (const auto& span : execution.trace())
    ++calls[span.device + " " + span.layer + (span.backward ? " backward" : "")];
  for (const std::string device : {"cpu:0", "cpu:1"}) {
    for (const std::string layer : {" first", " second"}) {
      EXPECT_EQ(calls[device + layer], 2);
      EXPECT_EQ(calls[device + layer + " backward"], 2);
    }
  }
}

// Goes one way or another by what the rows hold.
struct Branches : Layer {
  Dense left = track("left", Dense(6)), right = track("right", Dense(6));
  void build(const Shape& input) override {
    left->ensure_built({input});
    right->ensure_built({input});
  }
  Tensor call(const Tensor& x, const CallContext& context) override {
    return x.sum().item<float>() > 0 ? left(x, context) : right(x, context);
  }
};

TEST(Zero, ReplicasThatReadOtherWeightsAreToldInStage3) {
  Tensor x = at::ones({4, 6});
  x.slice(0, 2, 4).neg_();
  const auto fit = [&](int64_t stage) {
    Sequential model({Input({6}), make_layer<Branches>(), Dense(2)});
    model.compile({.optimizer = "sgd", .loss = "mse", .strategy = zero_on(2, stage)});
    model.fit(x, at::zeros({4, 2}), {.batch_size = 4, .epochs = 2, .verbose = 0, .shuffle = false});
  };
  fit(2);
  EXPECT_NE(message_of<Error>([&] { fit(3); }), "nothing was thrown");
}

TEST(Zero, RefusesWhatItCannotHold) {
  const auto two = zero_devices(2);
  EXPECT_EQ(message_of([&] { Zero({.devices = two, .stage = 4}); }), "Zero: stage must be 1, 2 or 3, got 4");
  EXPECT_EQ(message_of([&] { Zero({}); }), "Zero: must get devices, e.g. {.devices = {\"cpu:0\", \"cpu:1\"}}");
  EXPECT_EQ(message_of([&] { Zero({.devices = two, .offload_optimizer = true}); }),
            "Zero: offload_optimizer must not be set on CPUs, where the optimizer's state lies in host memory anyway");
  EXPECT_EQ(message_of([&] { Zero({.devices = two, .memory_limit = -1}); }),
            "Zero: memory_limit must be positive, or 0 for none, got -1");
  EXPECT_EQ(message_of([&] { distribute::make_strategy("zero2", {.devices = two, .fixed_order = 2}); }),
            "strategy zero2: fixed_order, all_reduce and average_every must not be set");
  EXPECT_EQ(message_of([&] { train(zero_task(optimizers::Lamb()), zero_on(2, 1)); }),
            "Zero: the optimizer must update each element by itself, since weights lie in parts on several ranks, but "
            "Lamb needs whole weights");
}

}  // namespace
}  // namespace tandem
