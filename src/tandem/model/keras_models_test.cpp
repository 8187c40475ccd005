// Small models trained by real Keras and here: convolutional, functional with shared layers, saturated softmaxes.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/activation.h"
#include "tandem/layers/add.h"
#include "tandem/layers/average_pooling2d.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/max_pooling2d.h"
#include "tandem/model/keras_model_case_test.h"
#include "tandem/optimizers/sgd.h"

namespace tandem {
namespace {

using namespace layers;
using optimizers::SGD;
using testing::expect_trains_as_keras;

CompileOptions categorical(const SGD& optimizer) {
  return {.optimizer = optimizer, .loss = "categorical_crossentropy", .metrics = {"accuracy"}};
}

TEST(KerasModels, ConvolutionAndBatchNormalization) {
  const Sequential model({Input({8, 8, 2}), Conv2D(4, 3, {.padding = "same"}), BatchNormalization(), Activation("relu"),
                          MaxPooling2D(2), Flatten(), Dense(3, {.activation = "softmax"})});
  expect_trains_as_keras("cnn_batch_norm", model, categorical(SGD({.learning_rate = 0.05})), {.tolerance = 5e-5});
}

TEST(KerasModels, ModulesOfMiniGoogLeNet) {
  const auto conv = [](const KerasTensor& x, int64_t filters, int64_t size, int64_t strides = 1,
                       const char* padding = "same") {
    return Activation("relu")(BatchNormalization()(Conv2D(filters, size, {.strides = strides, .padding = padding})(x)));
  };
  const auto inputs = Input({9, 9, 2});
  auto x = Concatenate()({conv(inputs, 2, 1), conv(inputs, 3, 3)});
  const auto convolved = conv(x, 3, 3, 2, "valid");
  x = Concatenate()({convolved, MaxPooling2D(3, {.strides = 2})(x)});
  x = Flatten()(AveragePooling2D(4)(x));
  const Model model(inputs, Dense(3, {.activation = "softmax"})(x));
  expect_trains_as_keras("minigooglenet_modules", model, categorical(SGD({.learning_rate = 0.1, .momentum = 0.9})),
                         {.tolerance = 2e-4});
}

// Two inputs through one shared layer, two outputs.
Model shared() {
  const auto a = Input({4}, {.name = "a"}), b = Input({4}, {.name = "b"});
  const Dense dense(5, {.activation = "tanh", .name = "shared"});
  const auto first = dense(a), second = dense(b);
  const auto merged = Concatenate({.name = "merged"})({first, second});
  const auto total = Add({.name = "total"})({first, second});
  const auto kind = Dense(3, {.activation = "softmax", .name = "kind"})(merged);
  const auto size = Dense(2, {.name = "size"})(total);
  return Model({a, b}, {kind, size});
}

TEST(KerasModels, SharedLayerTwoInputsTwoOutputs) {
  const SGD optimizer({.learning_rate = 0.05, .momentum = 0.9});
  const CompileOptions by_order{.optimizer = optimizer,
                                .loss = {"categorical_crossentropy", "mse"},
                                .loss_weights = {1.0, 0.5},
                                .metrics = {{"kind", {"accuracy"}}}};
  expect_trains_as_keras("functional_shared", shared(), by_order);
  const CompileOptions by_name{.optimizer = optimizer,
                               .loss = {{"size", "mse"}, {"kind", "categorical_crossentropy"}},
                               .loss_weights = {1.0, 0.5},
                               .metrics = {{"kind", {"accuracy"}}}};
  expect_trains_as_keras("functional_shared_uneven", shared(), by_name);
  expect_trains_as_keras("functional_shared_plain", shared(),
                         {.optimizer = SGD({.learning_rate = 0.05}), .loss = {"categorical_crossentropy", "mse"}});
}

// Saturated: rows whose probability rounds to 0 or 1. A crossentropy that finds the logits still has a gradient.
void expect_saturated(const std::string& name, const std::function<Model()>& build) {
  const SGD optimizer({.learning_rate = 0.01});
  expect_trains_as_keras("saturated_" + name, build(), categorical(optimizer));
  expect_trains_as_keras("saturated_" + name + "_sparse", build(),
                         {.optimizer = optimizer, .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
}

TEST(KerasModels, SaturatedSoftmaxOfADenseLayer) {
  expect_saturated("dense", [] { return Sequential({Input({4}), Dense(3, {.activation = "softmax"})}); });
}

TEST(KerasModels, SaturatedSoftmaxOfAnActivationLayer) {
  expect_saturated("activation", [] { return Sequential({Input({4}), Dense(3), Activation("softmax")}); });
}

// Stands for Keras's Reshape((3,)): the output is no longer the softmax's own tensor.
class ReshapedLayer : public Layer {
 public:
  Tensor call(const Tensor& x, const CallContext&) override { return x.reshape({x.size(0), 3}).alias(); }
};

TEST(KerasModels, SaturatedSoftmaxHiddenBehindAReshape) {
  expect_saturated("hidden", [] {
    return Sequential({Input({4}), Dense(3, {.activation = "softmax"}), make_layer<ReshapedLayer>()});
  });
}

}  // namespace
}  // namespace tandem
