// Training on several devices gives what one device gives, for any number of devices and rows.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/add.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/regularizers.h"
#include "tandem/losses/sparse_categorical_crossentropy.h"
#include "tandem/model/model.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/closeness.h"

namespace tandem {
namespace {

using namespace layers;
using testing::difference;

distribute::Strategy on_devices(int64_t n) {
  std::vector<Device> devices;
  for (int64_t i = 0; i < n; ++i) devices.emplace_back("cpu:" + std::to_string(i));
  return distribute::Mirrored({.devices = Devices::of(devices), .threads_per_device = 1});
}

Tensor normal(const Shape& shape, uint64_t key) { return RandomStream(key).normal(shape); }
Tensor one_hot(int64_t rows, int64_t classes, uint64_t key) {
  const Tensor ids = (RandomStream(key).uniform({rows}) * static_cast<double>(classes)).to(at::kLong);
  return at::one_hot(ids, classes).to(at::kFloat);
}

struct Result {
  std::vector<Tensor> weights;
  History history;
  Logs evaluation;
  Tensors predictions;
};

struct Task {
  std::function<Model()> build;
  CompileOptions compile;
  Tensors x, y;
  FitOptions fit;
};

Result train(const Task& task, int64_t devices) {
  const testing::CapturedLog quiet;  // devices without rows are warned of
  set_random_seed(11);
  Model model = task.build();
  auto compile = task.compile;
  compile.strategy = on_devices(devices);
  model.compile(compile);
  auto fit = task.fit;
  fit.verbose = 0;
  Result result;
  result.history = model.fit(task.x, task.y, fit);
  result.weights = model.get_weights();
  result.evaluation =
      model.evaluate(task.x, task.y, {.batch_size = fit.batch_size, .verbose = 0, .sample_weight = fit.sample_weight});
  result.predictions = model.predict_all(data::TensorDataset(task.x), {.batch_size = fit.batch_size});
  return result;
}

void expect_same(const Result& got, const Result& want) {
  for (std::size_t i = 0; i < want.weights.size(); ++i)
    EXPECT_EQ(difference(got.weights[i], want.weights[i], 1e-5), "") << "weight " << i;
  for (const auto& [name, values] : want.history.series()) {
    EXPECT_EQ(difference(at::tensor(got.history[name]), at::tensor(values), 1e-5), "") << name;
  }
  for (const auto& [name, value] : want.evaluation) EXPECT_NEAR(got.evaluation[name], value, 1e-5) << name;
  for (int64_t i = 0; i < want.predictions.size(); ++i)
    EXPECT_EQ(difference(got.predictions[i], want.predictions[i], 1e-5), "") << "output " << i;
}

void expect_parity(const Task& task, std::initializer_list<int64_t> devices = {2, 3, 4}) {
  const Result one = train(task, 1);
  for (double loss : one.history["loss"]) EXPECT_TRUE(std::isfinite(loss));
  for (int64_t n : devices) {
    SCOPED_TRACE(std::to_string(n) + " devices");
    expect_same(train(task, n), one);
  }
}

Model classifier() {
  return Sequential({Input({6}), Dense(8, {.activation = "relu"}), Dense(3, {.activation = "softmax"})});
}
CompileOptions classification() {
  return {.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}),
          .loss = "categorical_crossentropy",
          .metrics = {"accuracy"}};
}

TEST(Parity, AnyBatchSizeAndLastShortBatch) {  // rows of 24: 8 divides, 7 leaves 3, 5 leaves 4, 24 is all, 2 is less
                                               // than devices
  for (const int64_t batch_size : {8, 7, 5, 24, 2, 1}) {
    SCOPED_TRACE("batches of " + std::to_string(batch_size));
    expect_parity(
        {classifier, classification(), normal({24, 6}, 1), one_hot(24, 3, 2), {.batch_size = batch_size, .epochs = 2}});
  }
}

TEST(Parity, TenRowsInFoursOnFourDevices) {  // U06: batches of 4, 4 and 2 rows
  const Task task{classifier, classification(), normal({10, 6}, 1), one_hot(10, 3, 2), {.batch_size = 4, .epochs = 3}};
  expect_parity(task, {4});
  EXPECT_EQ(train(task, 4).history.rows_per_device(), (std::vector<int64_t>{9, 9, 6, 6}));
}

TEST(Parity, FewerRowsThanDevices) {
  for (const int64_t rows : {1, 2, 3}) {
    expect_parity(
        {classifier, classification(), normal({rows, 6}, 1), one_hot(rows, 3, 2), {.batch_size = 8, .epochs = 2}}, {4});
  }
}

TEST(Parity, SampleAndClassWeights) {
  const Tensor weights = RandomStream(5).uniform({22}) * 2;
  expect_parity({classifier,
                 classification(),
                 normal({22, 6}, 1),
                 one_hot(22, 3, 2),
                 {.batch_size = 5, .epochs = 2, .sample_weight = weights}});
  expect_parity({classifier,
                 classification(),
                 normal({22, 6}, 1),
                 one_hot(22, 3, 2),
                 {.batch_size = 5, .epochs = 2, .class_weight = {{0, 0.5}, {2, 3.0}}}});
}

TEST(Parity, RegularizersCountOnce) {  // U07
  const auto build = [] {
    return Sequential({Input({6}), Dense(8, {.activation = "relu", .kernel_regularizer = regularizers::L2(0.05)}),
                       Dense(3, {.activation = "softmax", .bias_regularizer = regularizers::L1(0.1)})});
  };
  expect_parity({build, classification(), normal({10, 6}, 1), one_hot(10, 3, 2), {.batch_size = 4, .epochs = 3}});
}

TEST(Parity,
     L2TermIsTheFormulaOnAnyNumberOfDevices) {  // U07: 0.1 (1 + 4) = 0.5, and the row losses 3, 3, 6 have mean 4
  for (int64_t n : {1, 2, 3, 4}) {
    const auto x = Input({2});
    Model model(x, Dense(1, {.use_bias = false, .kernel_regularizer = regularizers::L2(0.1)})(x));
    model.set_weights({at::tensor({1.0F, 2.0F}).view({2, 1})});
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = "mse", .strategy = on_devices(n)});
    const Tensor zeros = at::zeros({3, 2}), y = at::tensor({3.0F, 3.0F, 6.0F}).sqrt().view({3, 1});
    const auto history = model.fit(zeros, y, {.batch_size = 3, .verbose = 0});
    EXPECT_NEAR(history["loss"][0], 4.5, 1e-6) << n;
    EXPECT_NEAR(model.evaluate(zeros, y, {.verbose = 0})["loss"], 4.5, 1e-6) << n;
  }
}

TEST(Parity, TwoInputsAndTwoOutputs) {
  const auto build = [] {
    const auto a = Input({4}, {.name = "a"}), b = Input({4}, {.name = "b"});
    const Dense shared(5, {.activation = "tanh"});
    const auto first = shared(a), second = shared(b);
    return Model({a, b}, {Dense(3, {.activation = "softmax", .name = "kind"})(Concatenate()({first, second})),
                          Dense(2, {.name = "size"})(Add()({first, second}))});
  };
  const CompileOptions compile{.optimizer = optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9}),
                               .loss = {"categorical_crossentropy", "mse"},
                               .loss_weights = {1.0, 0.5},
                               .metrics = {{"kind", {"accuracy"}}, {"size", {"mse"}}}};
  expect_parity({build,
                 compile,
                 {normal({17, 4}, 1), normal({17, 4}, 2)},
                 {one_hot(17, 3, 3), normal({17, 2}, 4)},
                 {.batch_size = 5, .epochs = 2}});
}

TEST(Parity, DropoutMasksAreThoseOfOneDevice) {
  const auto build = [] {
    return Sequential({Input({6}), Dropout(0.3), Dense(16, {.activation = "relu"}), Dropout(0.5),
                       Dense(3, {.activation = "softmax"})});
  };
  expect_parity({build, classification(), normal({22, 6}, 1), one_hot(22, 3, 2), {.batch_size = 7, .epochs = 3}});
}

TEST(Parity, Convolutions) {
  const auto build = [] {
    return Sequential({Input({6, 6, 2}), Conv2D(4, 3, {.padding = "same", .activation = "relu"}), Flatten(),
                       Dense(3, {.activation = "softmax"})});
  };
  expect_parity({build, classification(), normal({11, 6, 6, 2}, 1), one_hot(11, 3, 2), {.batch_size = 4, .epochs = 2}});
}

TEST(Parity, IgnoredClassesLeaveTheDivisor) {
  const auto build = [] { return Sequential({Input({5, 3}), Dense(4)}); };  // a label at each of 5 places
  const CompileOptions compile{.optimizer = optimizers::SGD({.learning_rate = 0.3}),
                               .loss = losses::SparseCategoricalCrossentropy({.from_logits = true, .ignore_class = 0})};
  Tensor labels = (RandomStream(3).uniform({9, 5}) * 4).to(at::kInt);
  labels.slice(0, 0, 2).zero_();  // a device with nothing but ignored labels
  expect_parity({build, compile, normal({9, 5, 3}, 1), labels, {.batch_size = 4, .epochs = 2, .shuffle = false}});
  expect_parity({build, compile, normal({9, 5, 3}, 1), labels, {.batch_size = 2, .epochs = 2, .shuffle = false}}, {4});
}

TEST(Parity, PredictionsAreInOrder) {  // U05, U17
  for (int64_t n : {1, 2, 3, 4}) {
    const auto x = Input({1});
    Model identity(x, Dense(1, {.use_bias = false, .kernel_initializer = "ones"})(x));
    identity.compile({.optimizer = "sgd", .loss = "mse", .strategy = on_devices(n)});
    for (const int64_t rows : {10, 1, 3, 5}) {
      const Tensor numbers = at::arange(rows, at::kFloat).view({rows, 1});
      for (const int64_t batch_size : {4, 1, 32})
        EXPECT_EQ(difference(identity.predict(numbers, {.batch_size = batch_size}), numbers, 0), "");
    }
  }
}

}  // namespace
}  // namespace tandem
