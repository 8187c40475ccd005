// Training on several devices gives what one device gives, for any number of devices and rows.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/layers/add.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/conv2d_transpose.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/depthwise_conv2d.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/embedding.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/global_max_pooling2d.h"
#include "tandem/layers/input.h"
#include "tandem/layers/layer_normalization.h"
#include "tandem/layers/maximum.h"
#include "tandem/layers/multiply.h"
#include "tandem/layers/regularizers.h"
#include "tandem/layers/separable_conv2d.h"
#include "tandem/losses/sparse_categorical_crossentropy.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/closeness.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;
using testing::difference;

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

TEST(Parity, EmbeddingNormalisationAndMerging) {
  const auto build = [] {
    const auto ids = Input({5});
    const auto x = Embedding(7, 4)(ids);
    const auto y = LayerNormalization()(Multiply()({x, Dense(4, {.activation = "sigmoid"})(x)}));
    return Model(ids, Dense(3, {.activation = "softmax"})(Flatten()(Maximum()({x, y}))));
  };
  const Tensor ids = (RandomStream(8).uniform({13, 5}) * 7).floor();
  expect_parity({build, classification(), ids, one_hot(13, 3, 2), {.batch_size = 4, .epochs = 2}});
}

TEST(Parity, SingleChannelsInPartsOfOneRow) {  // LibTorch takes other kernels for a small image alone
  const auto build = [] {
    return Sequential({Input({6, 6, 1}), Conv2D(3, 3, {.strides = 2, .padding = "same", .activation = "relu"}),
                       Conv2D(1, 2), Conv2DTranspose(2, 3, {.strides = 2}), Flatten(),
                       Dense(3, {.activation = "softmax"})});
  };
  expect_parity({build, classification(), normal({7, 6, 6, 1}, 1), one_hot(7, 3, 2), {.batch_size = 4, .epochs = 2}});
}

TEST(Parity, SeparableAndTransposedConvolutions) {
  const auto build = [] {
    return Sequential({Input({5, 6, 2}), SeparableConv2D(4, 3, {.padding = "same", .activation = "relu"}),
                       DepthwiseConv2D(2, {.strides = 2}), Conv2DTranspose(3, 3, {.strides = 2}), GlobalMaxPooling2D(),
                       Dense(3, {.activation = "softmax", .activity_regularizer = "l2"})});
  };
  expect_parity({build, classification(), normal({11, 5, 6, 2}, 1), one_hot(11, 3, 2), {.batch_size = 4, .epochs = 2}});
}

TEST(Parity, OptimizersAndClipping) {  // clipped after the exchange: by the gradient of the whole batch
  for (const char* name : {"adam", "adamw", "rmsprop", "adagrad", "adadelta", "adamax", "lion"}) {
    SCOPED_TRACE(name);
    auto compile = classification();
    compile.optimizer = name;
    expect_parity({classifier, compile, normal({14, 6}, 1), one_hot(14, 3, 2), {.batch_size = 5, .epochs = 2}}, {3});
  }
  for (const auto& clipped : {optimizers::SGD({.learning_rate = 0.1, .clipnorm = 0.05}),
                              optimizers::SGD({.learning_rate = 0.1, .clipvalue = 0.02}),
                              optimizers::SGD({.learning_rate = 0.1, .global_clipnorm = 0.05})}) {
    auto compile = classification();
    compile.optimizer = clipped;
    expect_parity({classifier, compile, normal({14, 6}, 1), one_hot(14, 3, 2), {.batch_size = 5, .epochs = 2}});
  }
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

// Tokens of unequal lengths, padded behind with 0; a label and a weight at each of 6 places.
struct Tagging {
  Tensor ids = (RandomStream(3).uniform({9, 6}) * 5).floor() + 1;
  Tensor labels = (RandomStream(4).uniform({9, 6}) * 4).to(at::kInt);
  Tensor weights = RandomStream(5).uniform({9, 6}) * 2;
  CompileOptions compile{.optimizer = optimizers::SGD({.learning_rate = 0.3}),
                         .loss = "sparse_categorical_crossentropy",
                         .metrics = {"accuracy"},
                         .weighted_metrics = {"accuracy", "sparse_categorical_crossentropy"}};

  Tagging() {
    for (int64_t row = 0; row < 9; ++row) ids[row].slice(0, 1 + row % 4).zero_();
  }
  static Model build() {
    const auto ids = Input({6});
    const auto words = Dropout(0.2)(Embedding(6, 4, {.mask_zero = true})(ids));
    const auto normal = BatchNormalization({.synchronized = true})(words);
    return Model(ids, Dense(4, {.activation = "softmax"})(Add()({words, normal})));
  }
};

TEST(Parity, MasksOfPaddedSteps) {  // the number of steps that count differs by device
  const Tagging task;
  for (const int64_t batch_size : {4, 9}) {
    expect_parity({Tagging::build, task.compile, task.ids, task.labels, {.batch_size = batch_size, .epochs = 2}});
    expect_parity({Tagging::build,
                   task.compile,
                   task.ids,
                   task.labels,
                   {.batch_size = batch_size, .epochs = 2, .sample_weight = task.weights}});
  }
}

TEST(Parity, PaddedStepsChangeNothing) {  // whatever stands there in labels and weights
  Tagging task;
  const auto run = [&] {
    return train({Tagging::build, task.compile, task.ids, task.labels, {.epochs = 2, .sample_weight = task.weights}},
                 2);
  };
  const auto want = run();
  const Tensor padded = task.ids.eq(0);
  task.labels = task.labels.masked_fill(padded, 1);
  task.weights = task.weights.masked_fill(padded, 77);
  expect_same(run(), want);
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
