// The face of a model: nested and subclassed models, data sets, freezing, learning rate, several outputs.
#include "tandem/model/model.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/add.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/optimizers/polynomial_decay.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using layers::Dense;
using layers::Dropout;
using layers::Input;
using testing::difference;
using testing::message_of;

Tensor values(int64_t rows, int64_t columns, uint64_t key) { return RandomStream(key).normal({rows, columns}); }
CompileOptions regression(double rate = 0.1) {
  return {.optimizer = optimizers::SGD({.learning_rate = rate, .momentum = 0.5}), .loss = "mse"};
}
CompileOptions on_two(CompileOptions options) {
  options.strategy = distribute::Mirrored({.devices = {"cpu:0", "cpu:1"}, .threads_per_device = 1});
  return options;
}

TEST(Model, UnbuiltSequentialLearnsItsShapeFromTheData) {
  Sequential model({Dense(4), Dense(1)});
  model.compile(regression());
  EXPECT_TRUE(model.get_weights().empty());
  model.fit(values(6, 3, 1), values(6, 1, 2), {.verbose = 0});
  EXPECT_EQ(model.count_params(), 3 * 4 + 4 + 4 + 1);
  EXPECT_EQ(model.predict(values(2, 3, 1)).sizes(), (std::vector<int64_t>{2, 1}));
}

TEST(Model, NestedModelIsTrainedWithTheOuterOne) {
  const Sequential inner({Input({3}), Dense(4, {.activation = "tanh"})}, "inner");
  const auto x = Input({3});
  Model outer(x, Dense(1)(inner(x)), "outer");
  const auto before = inner.get_weights();
  outer.compile(regression());
  outer.fit(values(8, 3, 1), values(8, 1, 2), {.verbose = 0});
  EXPECT_NE(difference(inner.get_weights()[0], before[0], 1e-4), "");
  EXPECT_EQ(difference(inner.get_weights()[0], outer.get_weights()[0], 0), "");
  EXPECT_EQ(outer.get_weights().size(), 4U);
}

TEST(Model, FrozenLayersAreNotTrained) {
  Sequential model({Input({3}), Dense(4, {.name = "frozen"}), Dense(1, {.name = "free"})});
  model.layers()[0]->set_trainable(false);
  EXPECT_EQ(model.trainable_weights().size(), 2U);
  model.compile(on_two(regression()));
  const auto before = model.get_weights();
  model.fit(values(8, 3, 1), values(8, 1, 2), {.verbose = 0});
  const auto after = model.get_weights();
  EXPECT_TRUE(at::equal(after[0], before[0]));
  EXPECT_TRUE(at::equal(after[1], before[1]));
  EXPECT_FALSE(at::equal(after[2], before[2]));
}

TEST(Model, NothingToTrainStillRuns) {
  Sequential model({Input({3}), Dense(1)});
  model.layers()[0]->set_trainable(false);
  model.compile(on_two(regression()));
  const auto history = model.fit(values(5, 3, 1), values(5, 1, 2), {.epochs = 2, .verbose = 0, .shuffle = false});
  EXPECT_DOUBLE_EQ(history["loss"][0], history["loss"][1]);
}

struct NoisyMlp : SubclassedModel {
  explicit NoisyMlp(int64_t units) : hidden(track("hidden", Dense(units, {.activation = "relu"}))) {}
  Tensor call(const Tensor& x, const CallContext&) override { return head(noise(hidden(x) + noise(hidden(x)))); }
  Dense hidden;
  Dropout noise = track("noise", Dropout(0.3));
  Dense head = track("head", Dense(1));
};

TEST(Model, SubclassedModelTrainsTheSameOnTwoDevices) {
  std::vector<std::vector<Tensor>> results;
  for (const bool two : {false, true}) {
    set_random_seed(9);
    Model model = make_model<NoisyMlp>(int64_t{8});
    model.compile(two ? on_two(regression()) : regression());
    model.fit(values(11, 3, 1), values(11, 1, 2), {.batch_size = 4, .epochs = 3, .verbose = 0});
    results.push_back(model.get_weights());
  }
  ASSERT_EQ(results[0].size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(difference(results[1][i], results[0][i], 1e-5), "") << i;
}

TEST(Model, CloneHasTheArchitectureAndItsOwnWeights) {
  Model model = make_model<NoisyMlp>(int64_t{8});
  model.predict(values(2, 3, 1));
  Model copy = clone_model(model);
  EXPECT_EQ(copy.count_params(), model.count_params());
  copy.set_weights(model.get_weights());
  copy.compile(regression());
  const auto before = model.get_weights();
  copy.fit(values(8, 3, 1), values(8, 1, 2), {.verbose = 0});
  EXPECT_TRUE(at::equal(model.get_weights()[0], before[0]));
  EXPECT_THROW(copy.set_weights({}), InvalidArgument);
}

TEST(Model, CopiesOfAHandleAreOneModel) {
  Sequential model({Input({3}), Dense(1)});
  const Model same = model;
  model.set_weights({at::ones({3, 1}), at::zeros({1})});
  EXPECT_TRUE(at::equal(same.get_weights()[0], at::ones({3, 1})));
}

TEST(Model, DatasetsOwnBatchSizeWins) {
  Sequential model({Input({3}), Dense(1)});
  model.compile(regression());
  struct Steps : Callback {
    void on_train_begin(Logs&) override { steps = params_.steps; }
    int64_t steps = 0;
  };
  const auto steps = std::make_shared<Steps>();
  const Dataset data = data::TensorDataset(values(10, 3, 1), values(10, 1, 2));
  model.fit(data.batch(3), {.batch_size = 5, .verbose = 0, .callbacks = {steps}});
  EXPECT_EQ(steps->steps, 4);
  model.fit(data.batch(3, /*drop_remainder=*/true), {.verbose = 0, .callbacks = {steps}});
  EXPECT_EQ(steps->steps, 3);
  model.fit(data, {.batch_size = 5, .verbose = 0, .callbacks = {steps}});
  EXPECT_EQ(steps->steps, 2);
  EXPECT_EQ(model.predict(data.batch(3, true)).size(0), 9);
}

TEST(Model, TensorsAndTheirDatasetTrainAlike) {
  const auto train = [](bool as_dataset) {
    set_random_seed(2);
    Sequential model({Input({3}), Dense(1)});
    model.compile(regression());
    const Tensor x = values(10, 3, 1), y = values(10, 1, 2), w = values(10, 1, 3).abs().squeeze(1);
    if (as_dataset) model.fit(data::TensorDataset(x, y, w).shuffle().batch(4), {.epochs = 2, .verbose = 0});
    if (!as_dataset) model.fit(x, y, {.batch_size = 4, .epochs = 2, .verbose = 0, .sample_weight = w});
    return model.get_weights()[0];
  };
  EXPECT_TRUE(at::equal(train(true), train(false)));
}

TEST(Model, WhatTakesTensorsOnlyIsRefusedForDatasets) {
  Sequential model({Input({3}), Dense(1)});
  model.compile(regression());
  const Dataset data = data::TensorDataset(values(4, 3, 1), values(4, 1, 2));
  EXPECT_EQ(message_of([&] { model.fit(data, {.validation_split = 0.5}); }),
            "fit: validation_split works on tensors; split a data set with data::split");
  EXPECT_EQ(message_of([&] { model.fit(data, {.sample_weight = at::ones({4})}); }),
            "fit: sample_weight works on tensors; a data set brings its own weights");
}

TEST(Model, SeveralOutputsArePredictedTogether) {
  const auto x = Input({3});
  Model model(x, {Dense(1, {.name = "a"})(x), Dense(2, {.name = "b"})(x)}, "pair");
  EXPECT_EQ(message_of([&] { model.predict(values(4, 3, 1)); }),
            "predict: model 'pair' has 2 outputs; use predict_all");
  const auto outputs = model.predict_all(data::TensorDataset(values(4, 3, 1)));
  EXPECT_EQ(outputs[0].size(1), 1);
  EXPECT_EQ(outputs[1].size(1), 2);
  EXPECT_EQ(message_of([&] { model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mse"}}); }),
            "compile: metrics of a model with 2 outputs must be a map from output names, or one metric each, got 1");
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mse", "accuracy"}});  // one each, as in Keras
  const auto figures = model.evaluate(values(4, 3, 1), {values(4, 1, 2), values(4, 2, 3)}, {.verbose = 0});
  std::string names;
  for (const auto& [name, value] : figures) names += name + " ";
  EXPECT_EQ(names, "a_loss a_mse b_accuracy b_loss loss ");
  EXPECT_NEAR(figures["loss"], figures["a_loss"] + figures["b_loss"], 1e-6);
}

TEST(Model, LearningRateCanBeReadAndSet) {
  Sequential model({Input({3}), Dense(1)});
  model.compile(regression(0.25));
  EXPECT_EQ(model.learning_rate(), 0.25);
  model.set_learning_rate(0.5);
  EXPECT_EQ(model.learning_rate(), 0.5);
  model.compile(
      {.optimizer = optimizers::SGD({.learning_rate = schedules::PolynomialDecay(1.0, 4, {.end_learning_rate = 0})}),
       .loss = "mse"});
  EXPECT_EQ(model.learning_rate(), 1.0);
  model.fit(values(4, 3, 1), values(4, 1, 2), {.batch_size = 2, .verbose = 0});
  EXPECT_DOUBLE_EQ(model.learning_rate(), 0.5);
  EXPECT_THROW(model.set_learning_rate(0.1), InvalidArgument);
}

TEST(Model, SameOptimizerMayServeTwoModels) {
  const optimizers::SGD shared({.learning_rate = 0.1, .momentum = 0.9});
  const auto train = [&](const Handle<Optimizer>& optimizer) {
    set_random_seed(2);
    Sequential model({Input({3}), Dense(1)});
    model.compile({.optimizer = optimizer, .loss = "mse"});
    model.fit(values(4, 3, 1), values(4, 1, 2), {.epochs = 3, .verbose = 0});
    return model.get_weights()[0];
  };
  const auto first = train(shared);
  EXPECT_TRUE(at::equal(train(shared), first));
}

}  // namespace
}  // namespace tandem
