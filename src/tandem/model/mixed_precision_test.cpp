// Training in 16 bits: beside real Keras (tests/fixtures/mixed_cases.py), beside float32, and on several devices.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>

#include <cmath>
#include <limits>

#include "tandem/layers/activation.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/layer_normalization.h"
#include "tandem/layers/lstm.h"
#include "tandem/layers/max_pooling2d.h"
#include "tandem/layers/torch_module.h"
#include "tandem/model/body.h"
#include "tandem/model/keras_model_case_test.h"
#include "tandem/model/load_model.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/loss_scale_optimizer.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

using namespace layers;
using parity::normal;
using parity::on_devices;
using parity::one_hot;
using testing::message_of;

CompileOptions classification(const std::string& precision, const distribute::Strategy& strategy = {}) {
  return {.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}),
          .loss = "categorical_crossentropy",
          .metrics = {"accuracy"},
          .precision = precision,
          .strategy = strategy};
}

Model small_images() {
  return Sequential({Input({8, 8, 2}), Conv2D(4, 3, {.padding = "same"}), BatchNormalization(), Activation("relu"),
                     MaxPooling2D(2), Flatten(), Dense(3, {.activation = "softmax"})});
}

Model dense_pair() {
  return Sequential({Input({6}), Dense(16, {.activation = "relu"}), Dense(3, {.activation = "softmax"})});
}

/// What a layer of a user's own sees.
struct Probe : Layer {
  explicit Probe(std::shared_ptr<at::ScalarType> seen) : seen_(std::move(seen)) {}
  Shape output_shape(const Shape& input) override { return input; }
  Tensor call(const Tensor& x, const CallContext&) override {
    *seen_ = x.scalar_type();
    return x;
  }

 private:
  std::shared_ptr<at::ScalarType> seen_;
};

/// Infinite where a row's first number is above 100.
struct Overflow : Layer {
  Shape output_shape(const Shape& input) override { return input; }
  Tensor call(const Tensor& x, const CallContext&) override {
    return at::where(x.narrow(1, 0, 1) > 100, x * std::numeric_limits<double>::infinity(), x);
  }
};

TEST(MixedPrecision, TrainsAsKerasInBfloat16) {
  Model model = [] {
    const DTypePolicyScope scope("mixed_bfloat16");
    return Sequential({Input({8, 8, 2}), Conv2D(4, 3, {.padding = "same"}), BatchNormalization(), Activation("relu"),
                       MaxPooling2D(2), Flatten(), Dense(3, {.activation = "softmax"}).with_dtype("float32")});
  }();
  testing::expect_trains_as_keras("mixed_bfloat16_cnn", model, classification(""), {.tolerance = 0.03});
}

TEST(MixedPrecision, TrainsAsKerasInFloat16) {
  Model model = [] {
    const DTypePolicyScope scope("mixed_float16");
    return Sequential({Input({6}), Dense(8, {.activation = "tanh"}), LayerNormalization(),
                       Dense(3, {.activation = "softmax"}).with_dtype("float32")});
  }();
  testing::expect_trains_as_keras("mixed_float16_mlp", model, classification(""), {.tolerance = 5e-3});
}

TEST(MixedPrecision, HiddenLayersComputeIn16BitsAndOutputsInFloat32) {
  const auto seen = std::make_shared<at::ScalarType>();
  Sequential model({Input({6}), Dense(16), make_layer<Probe>(seen), Dense(3, {.activation = "softmax"})});
  model.compile(classification("mixed_bfloat16"));
  const Tensor y = model.predict(normal({4, 6}, 1));
  EXPECT_EQ(*seen, at::kBFloat16);
  EXPECT_EQ(y.scalar_type(), at::kFloat);
  EXPECT_NEAR(y.sum().item<double>(), 4, 1e-5);  // rows of probabilities that add up as float32's do
  EXPECT_EQ(model.layers().back()->dtype_policy().name(), "float32");
  for (const auto& weight : model.weights()) EXPECT_EQ(weight.value().scalar_type(), at::kFloat);
  model.compile(classification("float32"));
  model.predict(normal({4, 6}, 1));
  EXPECT_EQ(*seen, at::kFloat);
}

TEST(MixedPrecision, LossStaysWithinTwoPercentOfFloat32) {  // U87
  for (const auto& build : {small_images, dense_pair}) {
    const bool images = build == static_cast<Model (*)()>(small_images);
    const Tensor x = images ? normal({40, 8, 8, 2}, 1) : normal({40, 6}, 1), y = one_hot(40, 3, 2);
    std::vector<double> losses;
    for (const char* precision : {"float32", "mixed_bfloat16"}) {
      set_random_seed(3);
      Model model = build();
      auto options = classification(precision);
      options.optimizer = optimizers::SGD({.learning_rate = 0.02});
      model.compile(options);
      losses.push_back(model.fit(x, y, {.batch_size = 10, .epochs = 5, .verbose = 0})["loss"].back());  // 20 steps
    }
    EXPECT_NEAR(losses[1], losses[0], 0.02 * losses[0]);
    EXPECT_NE(losses[1], losses[0]);
  }
}

TEST(MixedPrecision, SeveralDevicesTrainAsOne) {
  for (const char* precision : {"mixed_bfloat16", "mixed_float16"}) {
    SCOPED_TRACE(precision);
    const auto trained = [&](int64_t devices) {
      set_random_seed(5);
      Model model = dense_pair();
      model.compile(classification(precision, on_devices(devices)));
      model.fit(normal({22, 6}, 1), one_hot(22, 3, 2), {.batch_size = 8, .epochs = 3, .verbose = 0});
      return model.get_weights();
    };
    const auto one = trained(1), three = trained(3);
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(at::allclose(one[i], three[i], 0.02, 0.02)) << i;
  }
}

TEST(MixedPrecision, FixedOrderGivesTheSameBits) {
  const auto trained = [](int64_t devices) {
    set_random_seed(5);
    Model model = small_images();
    model.compile(classification(
        "mixed_bfloat16",
        distribute::Mirrored(
            {.devices = Devices::parse("cpu*" + std::to_string(devices)), .threads_per_device = 1, .fixed_order = 4})));
    model.fit(normal({22, 8, 8, 2}, 1), one_hot(22, 3, 2), {.batch_size = 8, .epochs = 2, .verbose = 0});
    return model.get_weights();
  };
  const auto one = trained(1), two = trained(2);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(at::equal(one[i], two[i])) << i;
}

TEST(MixedPrecision, Float16ScalesTheLossUnlessToldNotTo) {
  Model model = dense_pair();
  auto options = classification("mixed_float16");
  model.compile(options);
  EXPECT_EQ(model.body().trainer().parts().optimizer->class_name(), "LossScaleOptimizer");
  options.auto_scale_loss = false;
  model.compile(options);
  EXPECT_EQ(model.body().trainer().parts().optimizer->class_name(), "SGD");
  model.compile(classification("mixed_bfloat16"));
  EXPECT_EQ(model.body().trainer().parts().optimizer->class_name(), "SGD");
}

TEST(MixedPrecision, AllDevicesSkipAStepThatOverflowsOnOne) {  // U87
  for (const int64_t devices : {1, 2}) {
    Sequential model({Input({6}), Dense(16), make_layer<Overflow>(), Dense(3, {.activation = "softmax"})});
    model.compile(classification("mixed_float16", on_devices(devices)));
    const Tensor y = one_hot(8, 3, 2), fine = normal({8, 6}, 1);
    Tensor infinite = fine.clone();
    infinite[7].fill_(3e4);
    model.train_on_batch(fine, y);
    const auto before = model.get_weights();
    const auto state = model.body().optimizer_state();
    model.train_on_batch(infinite, y);
    const auto after = model.get_weights();
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(at::equal(before[i], after[i])) << devices << " " << i;
    const auto later = model.body().optimizer_state();
    EXPECT_EQ(later.integer("iterations"), state.integer("iterations"));
    EXPECT_EQ(later.number("number/1"), state.number("number/1") / 2);
  }
}

TEST(MixedPrecision, NamesTheFirstTensorThatStaysInfinite) {
  Sequential model({Input({6}), Dense(16, {.name = "first"}), make_layer<Overflow>(),
                    Dense(3, {.activation = "softmax", .name = "last"})});
  model.compile(classification("mixed_float16", on_devices(2)));
  const testing::CapturedLog log;
  for (int step = 0; step < 20; ++step) model.train_on_batch(at::full({8, 6}, 3e4), one_hot(8, 3, 2));
  const auto warnings = log.warnings();
  ASSERT_EQ(warnings.size(), 2U);  // after 10 in a row, and after 20
  EXPECT_EQ(warnings.front(),
            "fit: 10 updates in a row were left out, since gradients are not finite; the loss scale is now 32, the "
            "first tensor that is not finite is the gradient of weight 'first/kernel'");
  // 32768 halved twenty times is below the limit of 1.
  EXPECT_EQ(model.body().optimizer_state().number("number/1"), 1);
}

TEST(MixedPrecision, LossScaleComesBackFromAFile) {  // U73
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("model.keras");
  Model model = dense_pair();
  model.compile(classification("mixed_float16"));
  const Tensor x = normal({8, 6}, 1), y = one_hot(8, 3, 2);
  model.train_on_batch(x, y);
  auto state = model.body().optimizer_state();
  state.set("number/1", 1024.0);
  model.body().set_optimizer_state(state);
  model.save(path);
  Model loaded = load_model(path);
  EXPECT_EQ(loaded.body().optimizer_state().number("number/1"), 1024);
  EXPECT_EQ(loaded.layers().front()->dtype_policy().name(), "mixed_float16");
  EXPECT_EQ(loaded.layers().back()->dtype_policy().name(), "float32");
  EXPECT_EQ(loaded.body().trainer().parts().optimizer->class_name(), "LossScaleOptimizer");
  EXPECT_EQ(loaded.train_on_batch(x, y)["loss"], model.train_on_batch(x, y)["loss"]);
  EXPECT_EQ(loaded.body().optimizer_state().integer("iterations"), 2);  // the first step was not skipped
}

TEST(MixedPrecision, ReachesNestedModelsAndWrappedLayers) {
  const auto seen = std::make_shared<at::ScalarType>();
  Sequential inner({Input({4, 6}), Dense(8), make_layer<Probe>(seen)});
  Sequential model(
      {Input({4, 6}), inner, LSTM(5), Sequential({Input({5}), Dense(4), Dense(3, {.activation = "softmax"})})});
  model.compile(classification("mixed_bfloat16"));
  model.train_on_batch(normal({6, 4, 6}, 1), one_hot(6, 3, 2));
  EXPECT_EQ(*seen, at::kBFloat16);
  const auto last = model.layers().back()->children().front()->children();
  EXPECT_EQ(last.front()->dtype_policy().name(), "mixed_bfloat16");
  EXPECT_EQ(last.back()->dtype_policy().name(), "float32");
  for (const auto& weight : model.get_weights()) EXPECT_TRUE(weight.isfinite().all().item<bool>());
}

TEST(MixedPrecision, ModulesRunUnderAutocast) {
  torch::nn::Linear linear(6, 16);
  Sequential model({Input({6}), TorchModule(linear), Dense(3, {.activation = "softmax"})});
  const auto loss = [&](const char* precision) {
    model.compile(classification(precision));
    return model.evaluate(normal({8, 6}, 1), one_hot(8, 3, 2), {.verbose = 0})["loss"];
  };
  const double plain = loss("float32"), mixed = loss("mixed_bfloat16");
  EXPECT_NE(plain, mixed);
  EXPECT_NEAR(plain, mixed, 0.02 * plain);
  model.train_on_batch(normal({8, 6}, 1), one_hot(8, 3, 2));
  EXPECT_EQ(linear->weight.scalar_type(), at::kFloat);
}

TEST(MixedPrecision, RefusesUnknownNames) {
  EXPECT_EQ(message_of([] { dense_pair().compile(classification("float16")); }),
            "precision 'float16' is not known; did you mean 'float32'?");
}

}  // namespace
}  // namespace tandem
