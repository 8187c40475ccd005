// Fixed order: the same bits on any number of devices that divides the number of logical shards.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/data/random_shift.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/model/model.h"
#include "tandem/model/weights_sha256.h"
#include "tandem/optimizers/adam.h"
#include "tandem/testing/captured_log.h"

namespace tandem {
namespace {

struct Trained {
  std::vector<Tensor> weights;
  History history;
  Tensor predictions;
};

struct Place {
  int64_t devices, threads;
};

// Dropout, augmentation, batch norm, Adam, class weights, a short last batch, validation, two fits.
Trained train_in_fixed_order(int64_t shards, const Place& place, int64_t rows = 50) {
  const testing::CapturedLog quiet;
  set_random_seed(5);
  Sequential model({layers::Input({8, 8, 3}), layers::Conv2D(6, {3, 3}, {.padding = "same"}),
                    layers::BatchNormalization(), layers::Dropout(0.3), layers::Flatten(),
                    layers::Dense(4, {.activation = "softmax"})});
  const Tensor x = RandomStream(1).normal({rows, 8, 8, 3});
  const Tensor y = at::one_hot((RandomStream(2).uniform({rows}) * 4).to(at::kLong), 4).to(at::kFloat);
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                 .loss = "categorical_crossentropy",
                 .metrics = {"accuracy"},
                 .strategy = distribute::Mirrored({.devices = Devices::parse("cpu*" + std::to_string(place.devices)),
                                                   .threads_per_device = place.threads,
                                                   .fixed_order = shards,
                                                   .bucket_bytes = 2048})});
  FitOptions options{.batch_size = 24,
                     .epochs = 2,
                     .verbose = 0,
                     .validation_split = 0.2,
                     .class_weight = {{0, 1.5}},
                     .augmentation = data::RandomShift(0.2)};
  model.fit(x, y, options);
  Trained trained;
  options.epochs = 1;
  trained.history = model.fit(x, y, options);
  trained.weights = model.get_weights();
  trained.predictions = model.predict(x);
  return trained;
}

void expect_same_bits(const Trained& a, const Trained& b) {
  for (std::size_t i = 0; i < a.weights.size(); ++i)
    EXPECT_TRUE(at::equal(a.weights[i], b.weights[i])) << "weight " << i;
  for (const auto& [name, values] : a.history.series()) EXPECT_EQ(values, b.history[name]) << name;
  EXPECT_TRUE(at::equal(a.predictions, b.predictions));
}

TEST(FixedOrder, SameBitsOnOneTwoAndFourDevices) {
  const auto one = train_in_fixed_order(4, {1, 1});
  EXPECT_LT(one.history["loss"].back(), 3);
  expect_same_bits(one, train_in_fixed_order(4, {2, 1}));
  expect_same_bits(one, train_in_fixed_order(4, {4, 1}));
}

TEST(FixedOrder, SameBitsOnThreeDevicesWhereTheyDivide) {
  const auto one = train_in_fixed_order(6, {1, 1});
  expect_same_bits(one, train_in_fixed_order(6, {2, 1}));
  expect_same_bits(one, train_in_fixed_order(6, {3, 1}));
  expect_same_bits(one, train_in_fixed_order(6, {6, 1}));
}

TEST(FixedOrder, ShardsSideBySideGiveTheSameBits) {
  expect_same_bits(train_in_fixed_order(4, {1, 1}), train_in_fixed_order(4, {1, 3}));
}

TEST(FixedOrder, FewerRowsThanShards) {
  expect_same_bits(train_in_fixed_order(8, {1, 1}, 7), train_in_fixed_order(8, {4, 1}, 7));
}

TEST(FixedOrder, RowsAreCountedByDevice) {
  EXPECT_EQ(train_in_fixed_order(4, {2, 1}).history.rows_per_device(), (std::vector<int64_t>{20, 20}));
}

// Two updates in a step, the second of what the first one made of the weights: shards of a device share these.
TEST(FixedOrder, AStepThatComputesAgainBehindItsUpdate) {
  struct Twice : SubclassedModel {
    layers::Dense inner = track("inner", layers::Dense(64, {.activation = "tanh"}));
    layers::Dense outer = track("outer", layers::Dense(2));
    Tensor call(const Tensor& x, const CallContext& context) override { return outer(inner(x, context), context); }
    void train_step(Step& step) override {
      const Tensor predicted = call(step.x()[0], step.context());
      step.minimize(step.compute_loss(predicted), inner.weights());
      step.minimize((call(step.x()[0], step.context()) - step.y()[0]).square().mean(), outer.weights());
    }
  };
  const auto trained = [](int64_t devices, int64_t threads) {
    set_random_seed(5);
    Model model = make_model<Twice>();
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.05}),
                   .loss = "mse",
                   .strategy = distribute::Mirrored({.devices = Devices::parse("cpu*" + std::to_string(devices)),
                                                     .threads_per_device = threads,
                                                     .fixed_order = 4})});
    Trained result;
    result.history = model.fit(RandomStream(1).normal({22, 48}), RandomStream(2).normal({22, 2}),
                               {.batch_size = 8, .epochs = 4, .verbose = 0});
    result.weights = model.get_weights();
    result.predictions = model.predict(RandomStream(1).normal({22, 48}));
    return result;
  };
  const auto four = trained(4, 1);
  for (const auto& [devices, threads] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {2, 1}, {1, 3}, {2, 2}}) {
    SCOPED_TRACE(std::to_string(devices) + " devices of " + std::to_string(threads) + " threads");
    expect_same_bits(trained(devices, threads), four);
  }
}

TEST(FixedOrder, DigestTellsWeightsApart) {
  const auto model_with = [](double value) {
    Sequential model({layers::Input({2}), layers::Dense(1)});
    model.set_weights({at::full({2, 1}, value), at::zeros({1})});
    return model;
  };
  EXPECT_EQ(weights_sha256(model_with(0.5)), weights_sha256(model_with(0.5)));
  EXPECT_NE(weights_sha256(model_with(0.5)), weights_sha256(model_with(0.25)));
  // sha256 of bytes 00 00 00 3f 00 00 00 3f 00 00 00 00.
  EXPECT_EQ(weights_sha256(model_with(0.5)), "ce0dd076e92f7849500662acb8165daafe301dc05df40ff169533c3471b9fe6d");
}

}  // namespace
}  // namespace tandem
