// Layers on several devices give what one device gives.
#include "tandem/distribution/as_placed.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>

#include "tandem/core/random.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/activation.h"
#include "tandem/layers/add.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/embedding.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/global_average_pooling1d.h"
#include "tandem/layers/global_average_pooling2d.h"
#include "tandem/layers/input.h"
#include "tandem/layers/regularizers.h"
#include "tandem/layers/torch_module.h"
#include "tandem/losses/sparse_categorical_crossentropy.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;

template <class Make>
auto on(const char* device, Make make) {
  const DeviceScope scope(device);
  return make();
}

CompileOptions placed_compile() {
  return {.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}),
          .loss = "categorical_crossentropy",
          .metrics = {"accuracy"}};
}

void expect_as_on_one_device(const Task& task) {
  const Result one = train(task, distribute::SingleDevice("cpu:0", 1));
  for (double loss : one.history["loss"]) EXPECT_TRUE(std::isfinite(loss));
  const Result placed = train(task, distribute::AsPlaced(1));
  EXPECT_GT(placed.history.bytes_sent(0) + placed.history.bytes_sent(1), 0) << "nothing went from device to device";
  expect_same(placed, one);
}

// A stem, two branches of which one is elsewhere, and a head.
Model branches(const char* stem, const char* left, const char* right, const char* head) {
  const auto x = Input({6});
  const auto s = on(stem, [&] { return Dense(8, {.activation = "relu"})(x); });
  const auto a = on(left, [&] { return Dropout(0.3)(Dense(5, {.activation = "tanh"})(s)); });
  const auto b = on(right, [&] { return Dropout(0.4)(Dense(5, {.activation = "tanh"})(s)); });
  return on(head, [&] { return Model(x, Dense(3, {.activation = "softmax"})(Concatenate()({a, b, s}))); });
}

TEST(AsPlaced, BranchesWithDropout) {
  for (const char* head : {"cpu:0", "cpu:1", "cpu:2"}) {
    SCOPED_TRACE(head);
    expect_as_on_one_device({[&] { return branches("cpu:0", "cpu:0", "cpu:1", head); },
                             placed_compile(),
                             normal({22, 6}, 1),
                             one_hot(22, 3, 2),
                             {.batch_size = 7, .epochs = 3}});
  }
}

TEST(AsPlaced, ResidualBlocksWithBatchNormalisationAcrossTheCut) {
  const auto build = [] {
    const auto block = [](KerasTensor x, int64_t filters, int64_t stride) {
      auto y = Conv2D(filters, {3, 3}, {.strides = stride, .padding = "same", .use_bias = false})(x);
      y = Activation("relu")(BatchNormalization()(y));
      y = BatchNormalization()(Conv2D(filters, {3, 3}, {.padding = "same", .use_bias = false})(y));
      if (stride != 1) x = BatchNormalization()(Conv2D(filters, {1, 1}, {.strides = stride, .use_bias = false})(x));
      return Activation("relu")(Add()({x, y}));
    };
    const auto x = Input({8, 8, 3});
    const auto half = on("cpu:0", [&] {
      return block(Activation("relu")(BatchNormalization()(Conv2D(4, {3, 3}, {.padding = "same"})(x))), 8, 2);
    });
    return on("cpu:1", [&] {
      return Model(x, Dense(3, {.activation = "softmax"})(GlobalAveragePooling2D()(block(half, 8, 1))));
    });
  };
  expect_as_on_one_device(
      {build, placed_compile(), normal({14, 8, 8, 3}, 1), one_hot(14, 3, 2), {.batch_size = 6, .epochs = 2}});
}

TEST(AsPlaced, SharedLayersSeveralInputsAndOutputs) {
  const auto build = [] {
    const auto a = Input({4}, {.name = "a"}), b = Input({4}, {.name = "b"});
    const Dense shared(5, {.activation = "tanh", .kernel_regularizer = regularizers::L2(0.01)});
    const BatchNormalization norm;  // its statistics are changed by both devices, one after the other
    const auto first = on("cpu:0", [&] { return norm(shared(a)); });
    const auto second = on("cpu:1", [&] { return norm(shared(b)); });
    const auto kind = on("cpu:1", [&] {
      return Dense(3, {.activation = "softmax", .name = "kind"})(Concatenate()({first, second}));
    });
    return Model({a, b}, {kind, Dense(2, {.activity_regularizer = "l2", .name = "size"})(Add()({first, second}))});
  };
  const CompileOptions compile{.optimizer = "adam",
                               .loss = {"categorical_crossentropy", "mse"},
                               .loss_weights = {1.0, 0.5},
                               .metrics = {{"kind", {"accuracy"}}, {"size", {"mse"}}}};
  const Tensor weights = RandomStream(5).uniform({17}) * 2;
  expect_as_on_one_device({build,
                           compile,
                           {normal({17, 4}, 1), normal({17, 4}, 2)},
                           {one_hot(17, 3, 3), normal({17, 2}, 4)},
                           {.batch_size = 5, .epochs = 2, .sample_weight = weights}});
}

TEST(AsPlaced, MaskedLosses) {
  const auto build = [] {
    const auto x = Input({5, 3});
    const auto y = on("cpu:0", [&] { return Dense(6, {.activation = "relu"})(x); });
    return on("cpu:1", [&] { return Model(x, Dense(4)(y)); });
  };
  const CompileOptions compile{.optimizer = optimizers::SGD({.learning_rate = 0.3}),
                               .loss = losses::SparseCategoricalCrossentropy({.from_logits = true, .ignore_class = 0})};
  const Tensor labels = (RandomStream(3).uniform({9, 5}) * 4).to(at::kInt);
  expect_as_on_one_device({build, compile, normal({9, 5, 3}, 1), labels, {.batch_size = 4, .epochs = 2}});
}

TEST(AsPlaced, MasksCrossDevices) {
  const auto build = [] {
    const auto ids = Input({5});
    const auto words = on("cpu:0", [&] { return Embedding(7, 4, {.mask_zero = true})(ids); });
    return on("cpu:1",
              [&] { return Model(ids, Dense(3, {.activation = "softmax"})(GlobalAveragePooling1D()(words))); });
  };
  const Tensor ids = (RandomStream(8).uniform({13, 5}) * 7).floor();
  expect_as_on_one_device({build, placed_compile(), ids, one_hot(13, 3, 2), {.batch_size = 4, .epochs = 2}});
}

TEST(AsPlaced, ModelsWithinAreDivided) {
  const auto build = [] {
    const auto ids = Input({5}, {.dtype = "int32"});
    const Model words(ids, on("cpu:0", [&] { return Flatten()(Embedding(7, 4)(ids)); }));
    const auto u = Input({20});
    const auto hidden = on("cpu:0", [&] { return Dropout(0.2)(Dense(6, {.activation = "relu"})(u)); });
    const Model inner(u, on("cpu:1", [&] { return Dropout(0.2)(Dense(4, {.activation = "tanh"})(hidden)); }));
    const Sequential head({Input({4}), Dense(3, {.activation = "softmax"})});
    const auto x = Input({5});
    return Model(x, on("cpu:1", [&] { return head(inner(words(x))); }));
  };
  const Tensor ids = (RandomStream(8).uniform({13, 5}) * 7).floor();
  expect_as_on_one_device({build, placed_compile(), ids, one_hot(13, 3, 2), {.batch_size = 4, .epochs = 2}});
}

// Calls a layer by hand, whose dropout must draw the same numbers wherever the block runs.
struct PlacedBlock : Layer {
  Dense inner = track("inner", Dense(6, {.activation = "relu"}));
  Dropout drop = track("drop", Dropout(0.3));
  Tensor call(const Tensor& x, const CallContext& context) override { return drop(inner(x, context), context); }
};

TEST(AsPlaced, CustomLayersWithLayersOfTheirOwn) {
  const auto build = [] {
    const auto x = Input({6});
    const auto a = on("cpu:0", [&] { return make_layer<PlacedBlock>()(x); });
    const auto b = on("cpu:1", [&] { return make_layer<PlacedBlock>()(x); });
    return Model(x, Dense(3, {.activation = "softmax"})(Add()({a, b})));
  };
  expect_as_on_one_device(
      {build, placed_compile(), normal({13, 6}, 1), one_hot(13, 3, 2), {.batch_size = 4, .epochs = 2}});
}

TEST(AsPlaced, LibTorchModulesOnTwoDevices) {
  const auto build = [] {
    const auto x = Input({4});
    torch::manual_seed(5);
    const TorchModule shared(torch::nn::Linear(4, 4));
    const auto a = on("cpu:0", [&] { return shared(x); });
    const auto b = on("cpu:1", [&] { return shared(shared(x)); });
    return Model(x, Dense(3, {.activation = "softmax"})(Concatenate()({a, b})));
  };
  expect_as_on_one_device(
      {build, placed_compile(), normal({13, 4}, 1), one_hot(13, 3, 2), {.batch_size = 4, .epochs = 2}});
}

// Calls a model whose layers are on two devices twice in a step.
struct CallsPlacedModel : SubclassedModel {
  static Model inner_model() {
    const auto x = Input({4});
    const auto y = on("cpu:0", [&] { return Dense(6, {.activation = "relu"})(x); });
    return Model(x, on("cpu:1", [&] { return Dense(4)(y); }));
  }
  Model inner = track("inner", inner_model());
  Dense head = track("head", Dense(3, {.activation = "softmax"}));
  Tensor call(const Tensor& x, const CallContext& context) override {
    return head(inner(inner(x, context), context), context);
  }
};

TEST(AsPlaced, SubclassedModelsCallPlacedModels) {
  expect_as_on_one_device({[] { return make_model<CallsPlacedModel>(); },
                           placed_compile(),
                           normal({13, 4}, 1),
                           one_hot(13, 3, 2),
                           {.batch_size = 4, .epochs = 2}});
}

TEST(AsPlaced, FrozenLayersStayAsTheyAre) {
  const auto build = [] {
    const auto x = Input({6});
    Dense frozen(8, {.activation = "relu"});
    const auto y = on("cpu:0", [&] { return frozen(x); });
    frozen->set_trainable(false);
    return Model(x, on("cpu:1", [&] { return Dense(3, {.activation = "softmax"})(y); }));
  };
  expect_as_on_one_device(
      {build, placed_compile(), normal({13, 6}, 1), one_hot(13, 3, 2), {.batch_size = 4, .epochs = 2}});
}

TEST(AsPlaced, IsWhatCompileTakesForScopes) {
  const testing::CapturedLog quiet;
  auto model = branches("cpu:0", "cpu:0", "cpu:1", "cpu:0");
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto history = model.fit(normal({10, 6}, 1), one_hot(10, 3, 2), {.batch_size = 4, .verbose = 0});
  EXPECT_EQ(history.rows_per_device(), (std::vector<int64_t>{10, 10}));  // each device sees each row
  // Per row: the branch's 8 values and their gradient from cpu:0, 5 values from cpu:1 and their gradient back.
  EXPECT_EQ(history.bytes_sent(0), 10 * 4 * (8 + 5));
  EXPECT_EQ(history.bytes_sent(1), 10 * 4 * (5 + 8));
}

TEST(AsPlaced, FailuresOfALayerEndTheStepWithItsMessage) {
  struct Fails : Layer {
    Tensor call(const Tensor& x, const CallContext& context) override {
      if (context.training) throw InvalidArgument("this layer fails");
      return x * 1;
    }
  };
  const auto x = Input({6});
  const auto y = on("cpu:1", [&] { return make_layer<Fails>()(Dense(6)(x)); });
  Model model(x, on("cpu:0", [&] { return Dense(3)(y); }));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto fit = [&] { model.fit(normal({4, 6}, 1), one_hot(4, 3, 2), {.verbose = 0}); };
  EXPECT_EQ(testing::message_of<InvalidArgument>(fit), "this layer fails");
  EXPECT_EQ(model.predict(normal({4, 6}, 1)).size(0), 4);  // and the model goes on
}

TEST(AsPlaced, DevicesThatAreNotThereAreNamed) {
  auto model = branches("cpu:0", "cpu:0", "gpu:77", "cpu:0");
  const auto message =
      testing::message_of<InvalidArgument>([&] { model.compile({.optimizer = "sgd", .loss = "mse"}); });
  EXPECT_NE(message.find("gpu:77"), std::string::npos) << message;
  EXPECT_NE(message.find("visible"), std::string::npos) << message;
  EXPECT_THROW(DeviceScope("cpu"), InvalidArgument);
}

TEST(AsPlaced, ScopesWithinACustomLayerAreRefused) {
  struct Holds : Layer {
    Model inner = track("inner", CallsPlacedModel::inner_model());
    Tensor call(const Tensor& x, const CallContext& context) override { return inner(x, context); }
  };
  const auto x = Input({4});
  const auto holds = make_layer<Holds>();
  holds->set_name("holds");
  Model model(x, on("cpu:0", [&] { return holds(x); }));
  const auto message =
      testing::message_of<InvalidArgument>([&] { model.compile({.optimizer = "sgd", .loss = "mse"}); });
  EXPECT_EQ(message,
            "layer 'holds' (Holds): holds layers placed on cpu:1 and runs on cpu:0; only models that are called in a "
            "graph can be divided over devices");
}

}  // namespace
}  // namespace tandem
