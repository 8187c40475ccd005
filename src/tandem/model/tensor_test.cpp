// Layers divided over devices: the numbers of one device, for any number of parts and replicas.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "tandem/core/device.h"
#include "tandem/core/random.h"
#include "tandem/distribution/mesh.h"
#include "tandem/distribution/single_device.h"
#include "tandem/distribution/tensor_parallel.h"
#include "tandem/layers/activation.h"
#include "tandem/layers/add.h"
#include "tandem/layers/average_pooling2d.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/constraints.h"
#include "tandem/layers/conv1d.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/conv3d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/depthwise_conv2d.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/embedding.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/gaussian_dropout.h"
#include "tandem/layers/global_average_pooling1d.h"
#include "tandem/layers/global_average_pooling2d.h"
#include "tandem/layers/group_query_attention.h"
#include "tandem/layers/gru.h"
#include "tandem/layers/input.h"
#include "tandem/layers/layer_normalization.h"
#include "tandem/layers/lstm.h"
#include "tandem/layers/max_pooling2d.h"
#include "tandem/layers/multi_head_attention.h"
#include "tandem/layers/operators.h"
#include "tandem/layers/regularizers.h"
#include "tandem/layers/spatial_dropout2d.h"
#include "tandem/layers/zero_padding2d.h"
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
using distribute::Mesh;
using distribute::SingleDevice;
using distribute::TensorParallel;
using testing::message_of;

Devices parts(int64_t n) { return Devices::parse("cpu*" + std::to_string(n)); }

CompileOptions classes() {
  return {.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}),
          .loss = "categorical_crossentropy",
          .metrics = {"accuracy"}};
}

// By units, by inputs, by units and gathered; with draws in between.
Model perceptron() {
  return Sequential({Input({6}), Dense(8, {.activation = "relu"}), Dropout(0.3), Dense(7, {.activation = "tanh"}),
                     Dense(9, {.activation = "sigmoid"}), Dense(3, {.activation = "softmax"})});
}

Task rows_of(const std::function<Model()>& build, const CompileOptions& compile = classes(), const Shape& row = {6}) {
  auto sizes = row.sizes();
  sizes.insert(sizes.begin(), 22);
  return {build, compile, normal(Shape::of(sizes), 1), one_hot(22, 3, 2), {.batch_size = 8, .epochs = 2}};
}

void expect_parts(const Task& task, std::initializer_list<int64_t> counts = {2, 3, 4}, bool meshes = true) {
  const auto one = train(task, SingleDevice("cpu:0"));
  for (const int64_t n : counts) {
    SCOPED_TRACE(std::to_string(n) + " parts");
    expect_same(train(task, TensorParallel({.devices = parts(n), .threads_per_device = 1})), one);
  }
  if (!meshes) return;
  SCOPED_TRACE("mesh of 2 x 2");
  expect_same(train(task, Mesh({.devices = parts(4), .data = 2, .tensor = 2, .threads_per_device = 1})), one);
}

TEST(Tensor, DenseByUnitsAndByInputs) { expect_parts(rows_of(perceptron)); }

// Values that go past layers, a layer that is called twice, a model within, several inputs and outputs.
Model crossing() {
  const auto x = Input({6});
  const Dense shared(6, {.activation = "tanh", .kernel_regularizer = regularizers::L2(0.01)});
  const auto a = shared(x);
  const auto b = Dense(6, {.activation = "relu"})(a);
  const auto c = shared(b);
  const auto within = Sequential({Input({6}), Dense(5, {.activation = "relu"}), Dropout(0.2), Dense(6)});
  const auto d = Concatenate()({Add()({a, c}), x, within(b)});
  return Model(x, Dense(3, {.activation = "softmax"})(d));
}

TEST(Tensor, MeshesOfEight) {
  const auto task = rows_of(perceptron);
  const auto one = train(task, SingleDevice("cpu:0"));
  for (const int64_t tensor : {1, 2, 4}) {
    SCOPED_TRACE("tensor " + std::to_string(tensor));
    expect_same(train(task, Mesh({.devices = parts(8), .data = 8 / tensor, .tensor = tensor, .threads_per_device = 1})),
                one);
  }
}

TEST(Tensor, SkipConnectionsSharedLayersAndModelsWithin) { expect_parts(rows_of(crossing)); }

// The first call says how a layer goes on: what comes whole to the second one is divided.
TEST(Tensor, LayersThatAreCalledOnPartsAndOnWholeValues) {
  const auto build = [] {
    const auto x = Input({6});
    const Activation bend("tanh");
    const Dense down(8, {.activation = "relu"});
    const auto a = bend(Dense(8)(x));
    const auto b = bend(LayerNormalization()(a));
    return Model(x, Dense(3, {.activation = "softmax"})(Add()({down(down(a)), b})));
  };
  expect_parts(rows_of(build));
}

TEST(Tensor, SeveralInputsAndOutputs) {
  const auto build = [] {
    const auto a = Input({4}, {.name = "a"}), b = Input({4}, {.name = "b"});
    const auto x = Dense(5, {.activation = "tanh"})(a);
    const auto early = Dense(2, {.activation = "sigmoid", .name = "early"})(x);
    const auto y = Dense(5, {.activation = "relu"})(Concatenate()({x, b}));
    const auto z = Dense(4, {.name = "both"})(y);  // an output that is read, too
    return Model({a, b}, {early, Dense(3, {.activation = "softmax", .name = "late"})(z), z});
  };
  const CompileOptions compile{.optimizer = optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9}),
                               .loss = {"binary_crossentropy", "categorical_crossentropy", "mse"},
                               .loss_weights = {0.5, 1.0, 0.1}};
  expect_parts({build,
                compile,
                {normal({17, 4}, 1), normal({17, 4}, 2)},
                {one_hot(17, 2, 4), one_hot(17, 3, 3), normal({17, 4}, 5)},
                {.batch_size = 5, .epochs = 2}},
               {2, 4});
}

TEST(Tensor, OptimizersClippingAndAccumulation) {
  auto compile = classes();
  for (const char* name : {"adam", "rmsprop", "adagrad", "nadam", "lion", "ftrl"}) {
    SCOPED_TRACE(name);
    compile.optimizer = name;
    expect_parts(rows_of(crossing, compile), {3}, false);
  }
  for (const auto& clipped : {optimizers::SGD({.learning_rate = 0.1, .clipnorm = 0.05}),
                              optimizers::SGD({.learning_rate = 0.1, .clipvalue = 0.02}),
                              optimizers::SGD({.learning_rate = 0.1, .global_clipnorm = 0.05})}) {
    compile.optimizer = clipped;
    expect_parts(rows_of(crossing, compile), {2, 3});
  }
  auto task = rows_of(crossing);
  task.fit.accumulate = 2;
  expect_parts(task, {2});
  task = rows_of(crossing);
  task.fit.sample_weight = RandomStream(5).uniform({22}) * 2;
  expect_parts(task, {2});
}

TEST(Tensor, RegularizersAndConstraintsOfDividedWeights) {
  const auto build = [] {
    return Sequential({Input({6}),
                       Dense(8, {.activation = "relu",
                                 .kernel_regularizer = regularizers::L1L2({.l1 = 0.01, .l2 = 0.02}),
                                 .bias_regularizer = regularizers::L2(0.1),
                                 .kernel_constraint = constraints::MaxNorm({.max_value = 0.5, .axis = 0})}),
                       // Its norms go over what would be divided: it is divided by units instead, or stays whole.
                       Dense(8, {.kernel_constraint = constraints::UnitNorm({.axis = 0})}),
                       Dense(8, {.kernel_constraint = constraints::UnitNorm({.axis = {0, 1}})}),
                       Dense(8, {.kernel_constraint = constraints::NonNeg()}), Dense(3, {.activation = "softmax"})});
  };
  expect_parts(rows_of(build), {2, 3});
}

TEST(Tensor, ConvolutionsByFiltersAndByChannels) {
  const auto build = [] {
    const auto x = Input({8, 8, 3});
    auto y = Conv2D(5, {3, 3}, {.padding = "same", .use_bias = false})(x);
    y = Activation("relu")(BatchNormalization({.synchronized = true})(y));
    y = DepthwiseConv2D({3, 3}, {.padding = "same", .depthwise_regularizer = regularizers::L2(0.01)})(y);
    y = MaxPooling2D()(SpatialDropout2D(0.2)(y));
    y = Conv2D(6, {3, 3}, {.padding = "same", .activation = "relu"})(ZeroPadding2D(1)(y));
    const auto z = Conv2D(6, {1, 1})(y);
    y = AveragePooling2D()(Add()({y, z}));
    const auto flat = Flatten()(y), mean = GlobalAveragePooling2D()(z);
    return Model(x, Dense(3, {.activation = "softmax"})(Dense(4)(Concatenate()({flat, mean}))));
  };
  auto task = rows_of(build, classes(), {8, 8, 3});
  task.compile.optimizer = optimizers::Adam({.learning_rate = 0.01});
  expect_parts(task);
}

// The pixels of a flattened image have its channels one after the other: each rank has some of each pixel.
TEST(Tensor, FlattenedChannels) {
  const auto build = [] {
    return Sequential({Input({5, 5, 2}), Conv2D(6, {3, 3}, {.activation = "relu"}), Flatten(), Dropout(0.2),
                       BatchNormalization({.synchronized = true}), Dense(5, {.activation = "relu"}),
                       Dense(3, {.activation = "softmax"})});
  };
  expect_parts(rows_of(build, classes(), {5, 5, 2}));
}

TEST(Tensor, ConvolutionsOfOneAndThreeAxes) {
  const auto one = [] {
    return Sequential({Input({9, 4}), Conv1D(4, 3, {.padding = "causal"}), Conv1D(5, 3, {.strides = 2}),
                       GlobalAveragePooling1D(), Dense(3, {.activation = "softmax"})});
  };
  expect_parts(rows_of(one, classes(), {9, 4}), {2, 3}, false);
  const auto three = [] {
    return Sequential({Input({4, 4, 4, 2}), Conv3D(4, 2, {.activation = "relu"}), Conv3D(3, 2), Flatten(),
                       Dense(3, {.activation = "softmax"})});
  };
  expect_parts(rows_of(three, classes(), {4, 4, 4, 2}), {2}, false);
}

TEST(Tensor, EmbeddingByRowsAndAttentionByHeads) {
  const auto build = [] {
    const auto x = Input({5});
    const auto y = Embedding(11, 8, {.mask_zero = true})(x);
    const auto z = LayerNormalization()(Add()({y, MultiHeadAttention(4, 3)({y, y})}));
    const auto u = GroupQueryAttention(3, 4, 2)({z, z});
    const auto v = Dense(8)(Dense(16, {.activation = "gelu"})(Add()({z, u})));
    return Model(x, Dense(3, {.activation = "softmax"})(GlobalAveragePooling1D()(Add()({z, v}))));
  };
  const Task task{build,
                  classes(),
                  (RandomStream(6).uniform({22, 5}) * 11).floor(),
                  one_hot(22, 3, 2),
                  {.batch_size = 8, .epochs = 2}};
  expect_parts(task, {2, 3, 4});
}

// A row that diverged concerns those alone who look it up.
TEST(Tensor, RowsOfEmbeddingThatAreNotFiniteStayApart) {
  Sequential model({Input({2}), Embedding(8, 4), Flatten(), Dense(2)});
  auto weights = model.get_weights();
  weights[0][0].fill_(std::nanf(""));
  weights[0][4].fill_(std::nanf(""));  // the first of each part's
  model.set_weights(weights);
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = TensorParallel({.devices = parts(2)})});
  const Tensor ids = at::tensor({1.0F, 5.0F, 2.0F, 7.0F}).view({2, 2});
  EXPECT_TRUE(model.predict(ids).isfinite().all().item<bool>());
  EXPECT_TRUE(std::isfinite(model.train_on_batch(ids, at::zeros({2, 2}))["loss"]));
  EXPECT_TRUE(model.get_weights()[2].isfinite().all().item<bool>());
}

TEST(Tensor, FrozenLayersAndLayersThatStayWhole) {
  const auto build = [] {
    Dense frozen(8, {.activation = "relu"});
    frozen->set_trainable(false);
    const auto x = Input({4, 6});
    const auto y = GRU(5)(GaussianDropout(0.1)(frozen(x)));
    return Model(x, Dense(3, {.activation = "softmax"})(Dense(6)(y)));
  };
  expect_parts(rows_of(build, classes(), {4, 6}), {2, 3});
}

TEST(Tensor, LstmByUnits) {
  const auto build = [] {
    const auto x = Input({5});
    auto y = Embedding(9, 4, {.mask_zero = true})(x);
    y = LSTM(6, {.kernel_regularizer = regularizers::L2(0.01), .return_sequences = true})(y);
    y = LSTM(5, {.return_sequences = true, .go_backwards = true, .zero_output_for_mask = true})(y);
    return Model(x, Dense(3, {.activation = "softmax"})(LSTM(4, {.use_bias = false})(y)));
  };
  const Tensor ids = (RandomStream(6).uniform({22, 5}) * 9).floor();
  expect_parts({build, classes(), ids, one_hot(22, 3, 2), {.batch_size = 8, .epochs = 2}});
}

TEST(Tensor, FewerRowsThanReplicas) {
  auto task = rows_of(perceptron);
  task.x = normal({3, 6}, 1);
  task.y = one_hot(3, 3, 2);
  task.fit.batch_size = 1;
  expect_parts(task, {2});
}

// Steps that are not finite are left out by all ranks, whichever of them has the gradient that is not.
TEST(Tensor, LossScalingSkipsTheSameSteps) {
  auto task = rows_of(perceptron);
  task.compile.optimizer = optimizers::LossScaleOptimizer(optimizers::SGD({.learning_rate = 0.1}),
                                                          {.initial_scale = 1e38, .dynamic_growth_steps = 2});
  expect_parts(task, {2, 3});
}

TEST(Tensor, MixedPrecisionStaysNearOneDevice) {
  auto task = rows_of(perceptron);
  task.compile.precision = "mixed_bfloat16";
  const auto one = train(task, SingleDevice("cpu:0"));
  const auto two = train(task, TensorParallel({.devices = parts(2)}));
  EXPECT_TRUE(at::allclose(two.predictions[0], one.predictions[0], 0.05, 0.05));
  for (std::size_t i = 0; i < one.weights.size(); ++i)
    EXPECT_TRUE(at::allclose(two.weights[i], one.weights[i], 0.05, 0.05)) << i;
}

TEST(Tensor, GoesOnFromAnotherLayout) {
  const Task task =
      rows_of(crossing, {.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "categorical_crossentropy"});
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
  const SingleDevice one("cpu:0");
  const TensorParallel two({.devices = parts(2)}), three({.devices = parts(3)});
  const auto want = both(one, one), got = both(two, three), back = both(three, one);
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_TRUE(at::allclose(got[i], want[i], 1e-5, 1e-5)) << i;
    EXPECT_TRUE(at::allclose(back[i], want[i], 1e-5, 1e-5)) << i;
  }
}

// What is made after compile begins with the weights that it would have without a strategy.
TEST(Tensor, ModelsMadeLaterAreTheSame) {
  const auto later = [](const distribute::Strategy& strategy) {
    set_random_seed(4);
    Model first = perceptron();
    auto compile = classes();
    compile.strategy = strategy;
    first.compile(compile);
    first.train_on_batch(normal({4, 6}, 1), one_hot(4, 3, 2));
    return perceptron().get_weights();
  };
  const auto one = later(SingleDevice("cpu:0")), two = later(TensorParallel({.devices = parts(2)}));
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(at::equal(one[i], two[i])) << i;
}

TEST(Tensor, ThePlanSaysWhatIsSplitAndWhereExchangesAre) {
  const auto x = Input({16});
  const auto y =
      Dense(8, {.name = "b"})(Dropout(0.5, {.name = "d"})(Dense(64, {.activation = "relu", .name = "a"})(x)));
  Model model(x, Dense(1, {.name = "c"})(LayerNormalization({.name = "n"})(y)), "net");
  // Of (16 + 1) 64 + (64 + 1) 8 + 2 * 8 + (8 + 1) 1 = 1633: 1088 / 2 + 512 / 2 + 8 + 16 + 9 = 833.
  EXPECT_EQ(TensorParallel({.devices = parts(2)})->plan(*model.network()),
            "model 'net' over 2 devices, 51.0 % of its parameters on the first:\n"
            "  layer                   split                      exchanges\n"
            "  a (Dense)               by units\n"
            "  b (Dense)               by inputs                  sum\n"
            "  n (LayerNormalization)  whole: its input is whole\n"
            "  c (Dense)               whole: has 1 units\n");
}

TEST(Tensor, MemoryAndMessagesAreWhatTheDivisionSays) {
  Sequential model({Input({16}), Dense(64, {.activation = "relu"}), Dense(64), Dense(4)});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                 .loss = "mse",
                 .strategy = TensorParallel({.devices = parts(2)})});
  const auto history = model.fit(normal({32, 16}, 1), normal({32, 4}, 2), {.batch_size = 32, .verbose = 0});
  // Half of each kernel; of the biases the second one is whole.
  const int64_t own = (16 * 64 + 64) / 2 + 64 * 64 / 2 + 64 + (64 * 4 + 4) / 2;
  for (const int64_t device : {0, 1}) {
    EXPECT_GE(history.parameter_bytes(device), own * 4);
    EXPECT_LT(history.parameter_bytes(device), own * 4 * 1.02);
    EXPECT_GE(history.optimizer_bytes(device), own * 8);
    EXPECT_LT(history.optimizer_bytes(device), own * 8 * 1.02);
    // Forward a sum of (32, 64) and a gathering of (32, 2); backward a sum of (32, 64).
    EXPECT_GE(history.bytes_sent(device), (2 * 32 * 64 + 32 * 2) * 4);
    EXPECT_LT(history.bytes_sent(device), (2 * 32 * 64 + 32 * 2) * 4 + 400);
  }
  EXPECT_EQ(history.rows_per_device(), (std::vector<int64_t>{32, 32}));
}

TEST(Tensor, AFailureOnOneRankEndsAllAndIsThrown) {
  struct Fails : Layer {
    Shape output_shape(const Shape& input) override { return input; }
    Tensor call(const Tensor& x, const CallContext& context) override {
      if (context.training && ++calls_ == 3) throw InvalidArgument("the third call");
      return x;
    }
    std::atomic<int> calls_{0};
  };
  Sequential model({Input({6}), Dense(8), make_layer<Fails>(), Dense(8), Dense(3, {.activation = "softmax"})});
  auto compile = classes();
  compile.strategy = Mesh({.devices = parts(4), .data = 2, .tensor = 2});
  model.compile(compile);
  const Tensor x = normal({16, 6}, 1), y = one_hot(16, 3, 2);
  EXPECT_NE(message_of([&] { model.train_on_batch(x, y); }).find("the third call"), std::string::npos);
  model.train_on_batch(x, y);  // and the next step works
}

TEST(Tensor, RefusesWhatCannotBeSplit) {
  const auto refused = [](Model model, const char* optimizer = "sgd") {
    return message_of([&] {
      model.compile({.optimizer = optimizer, .loss = "mse", .strategy = TensorParallel({.devices = parts(2)})});
      model.fit(normal({4, 6}, 1), normal({4, 1}, 2), {.verbose = 0});
    });
  };
  EXPECT_EQ(refused(Sequential({Input({6}), LayerNormalization({.name = "norm"}), Dense(1, {.name = "out"})},
                               {.name = "narrow"})),
            "TensorParallel: model 'narrow' must have a layer that can be split over 2 devices: 'norm' "
            "(LayerNormalization) its input is whole, 'out' (Dense) has 1 units");
  EXPECT_EQ(refused(Sequential({Input({6}), Dense(8), Dense(1)}), "lamb"),
            "TensorParallel: optimizer Lamb must not be used, since it needs each weight whole");
  EXPECT_EQ(message_of([] { TensorParallel(distribute::TensorParallelOptions()); }),
            "TensorParallel: must get a device for each part, e.g. {.devices = {\"cpu:0\", \"cpu:1\"}}");
  EXPECT_EQ(message_of([] { Mesh({.devices = parts(3), .data = 2, .tensor = 2}); }),
            "Mesh: data 2 x pipe 1 x tensor 2 must be the number of devices, got 3");
}

}  // namespace
}  // namespace tandem
