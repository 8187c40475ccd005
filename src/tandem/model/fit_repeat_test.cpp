// What a training gives depends on the seed alone: not on how fit is called, and not on the time.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/model/model.h"
#include "tandem/optimizers/polynomial_decay.h"
#include "tandem/optimizers/sgd.h"

namespace tandem {
namespace {

using layers::Dense;
using layers::Dropout;
using layers::Input;

// Shuffled rows, dropout, momentum and a schedule: everything that must be remembered between fits.
Model repeatable(int64_t devices, int64_t seed = 5) {
  set_random_seed(seed);
  Sequential model({Input({4}), Dense(8, {.activation = "relu"}), Dropout(0.4), Dense(3, {.activation = "softmax"})});
  const schedules::PolynomialDecay rate(0.2, 30);
  CompileOptions options{.optimizer = optimizers::SGD({.learning_rate = rate, .momentum = 0.9}),
                         .loss = "sparse_categorical_crossentropy"};
  if (devices == 2) options.strategy = distribute::Mirrored({.devices = {"cpu:0", "cpu:1"}, .threads_per_device = 1});
  model.compile(options);
  return model;
}

Tensor rows_of_data() { return RandomStream(1).normal({23, 4}); }
Tensor labels_of_data() { return (RandomStream(2).uniform({23}) * 3).to(at::kInt); }

std::vector<double> fit(Model& model, int64_t epochs, int64_t initial_epoch = 0) {
  return model.fit(rows_of_data(), labels_of_data(),
                   {.batch_size = 5, .epochs = epochs, .verbose = 0, .initial_epoch = initial_epoch})["loss"];
}

bool same_bits(const Model& a, const Model& b) {
  const auto x = a.get_weights(), y = b.get_weights();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!at::equal(x[i], y[i])) return false;
  }
  return true;
}

TEST(FitRepeat, TwoFitsOfOneEpochEqualOneFitOfTwo) {
  for (const int64_t devices : {1, 2}) {
    Model once = repeatable(devices), twice = repeatable(devices);
    const auto losses = fit(once, 2);
    const double first = fit(twice, 1)[0], second = fit(twice, 2, 1)[0];
    EXPECT_EQ(losses, (std::vector<double>{first, second})) << devices;
    EXPECT_TRUE(same_bits(once, twice)) << devices;
    fit(once, 1);
    fit(twice, 1);
    EXPECT_TRUE(same_bits(once, twice)) << devices;
  }
}

TEST(FitRepeat, LookingAtTheModelChangesNothing) {
  Model plain = repeatable(2), watched = repeatable(2);
  fit(plain, 1);
  fit(plain, 1);
  fit(watched, 1);
  watched.predict(rows_of_data());
  watched.evaluate(rows_of_data(), labels_of_data(), {.verbose = 0});
  watched.set_weights(watched.get_weights());
  fit(watched, 1);
  EXPECT_TRUE(same_bits(plain, watched));
}

TEST(FitRepeat, SeedDecidesAll) {
  for (const int64_t devices : {1, 2}) {
    Model first = repeatable(devices), again = repeatable(devices), other = repeatable(devices, 6);
    const auto losses = fit(first, 2);
    EXPECT_EQ(fit(again, 2), losses);
    EXPECT_TRUE(same_bits(first, again));
    EXPECT_NE(fit(other, 2), losses);
  }
}

TEST(FitRepeat, EpochsShuffleAnew) {
  // With a rate of 0 and batches of one row the losses are those of the rows, in the order of the epoch.
  set_random_seed(5);
  Sequential model({Input({1}), Dense(1, {.use_bias = false, .kernel_initializer = "zeros"})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0}), .loss = "mse"});
  struct Order : Callback {
    void on_epoch_begin(int64_t, Logs&) override { rows.emplace_back(); }
    void on_train_batch_end(int64_t batch, Logs& logs) override {
      const double sum = logs["loss"] * static_cast<double>(batch + 1);
      rows.back().push_back(std::lround(std::sqrt(sum - (batch == 0 ? 0 : sum_))));
      sum_ = sum;
    }
    std::vector<std::vector<int64_t>> rows;
    double sum_ = 0;
  };
  const auto order = std::make_shared<Order>();
  const Tensor numbers = at::arange(8, at::kFloat).view({8, 1});
  model.fit(numbers, numbers, {.batch_size = 1, .epochs = 2, .verbose = 0, .callbacks = {order}});
  model.fit(numbers, numbers, {.batch_size = 1, .verbose = 0, .callbacks = {order}, .steps_per_epoch = 4});
  model.fit(numbers, numbers, {.batch_size = 1, .verbose = 0, .callbacks = {order}, .steps_per_epoch = 4});
  ASSERT_EQ(order->rows.size(), 4U);
  for (int i : {0, 1}) {
    auto sorted = order->rows[static_cast<std::size_t>(i)];
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  }
  EXPECT_NE(order->rows[0], order->rows[1]);
  EXPECT_NE(order->rows[2], order->rows[3]) << "a fit that ended within the data must not show the same rows again";
}

TEST(FitRepeat, CompilingStartsTheOptimizerAnew) {
  Model model = repeatable(1);
  const auto before = model.get_weights();
  fit(model, 1);
  const auto once = model.get_weights();
  model.set_weights(before);
  EXPECT_LT(model.learning_rate(), 0.2);
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.2}), .loss = "sparse_categorical_crossentropy"});
  EXPECT_EQ(model.learning_rate(), 0.2);
  EXPECT_TRUE(at::equal(model.get_weights()[0], before[0]));
}

}  // namespace
}  // namespace tandem
