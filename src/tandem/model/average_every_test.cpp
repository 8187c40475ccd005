// Local SGD: devices that update by themselves and average their parameters every k updates.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/model.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/closeness.h"

namespace tandem {
namespace {

distribute::Strategy averaging(int64_t devices, int64_t every) {
  return distribute::Mirrored(
      {.devices = parity::several_devices(devices), .threads_per_device = 1, .average_every = every});
}

TEST(AverageEvery, EachUpdateOfPlainSgdEqualsOneDevice) {  // a mean of steps is a step along the mean
  const parity::Task task{
      [] {
        return Sequential({layers::Input({5}), layers::Dense(8, {.activation = "tanh"}), layers::Dense(2)});
      },
      {.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"},
      parity::normal({23, 5}, 1),
      parity::normal({23, 2}, 2),
      {.batch_size = 6, .epochs = 3}};  // the last batch has 5 rows
  const auto one = parity::train(task, 1);
  for (const int64_t devices : {2, 3}) parity::expect_same(parity::train(task, averaging(devices, 1)), one);
}

// y = w x with loss (w x - t)^2 and w = 0 at first; device d sees x = 1 and target t_d. Each of k updates with rate r
// takes w to w - 2 r (w - t), so that after k of them w_d = t_d (1 - (1 - 2 r)^k).
double weight_after(int64_t steps, int64_t every, double t0, double t1) {
  Sequential model({layers::Input({1}), layers::Dense(1, {.use_bias = false, .kernel_initializer = "zeros"})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse", .strategy = averaging(2, every)});
  const Tensor x = at::ones({2 * steps, 1});
  const Tensor y = at::tensor({t0, t1}, at::kFloat).repeat({steps}).reshape({-1, 1});
  model.fit(x, y, {.batch_size = 2, .verbose = 0, .shuffle = false});
  return model.get_weights()[0].item<double>();
}

TEST(AverageEvery, MeansOfParametersByFormula) {
  const auto after = [](double w, double t, int k) { return t + (w - t) * std::pow(0.8, k); };
  // 4 updates apart, then one mean: for targets 1 and 3 the same as 4 common updates toward 2.
  EXPECT_NEAR(weight_after(4, 4, 1, 3), after(0, 2, 4), 1e-5);
  // Training ends after 3 of 4 updates: what was learned since is averaged for saving.
  EXPECT_NEAR(weight_after(3, 4, 1, 3), after(0, 2, 3), 1e-5);
  EXPECT_NEAR(weight_after(6, 4, -1, 5), after(0, 2, 6), 1e-5);
}

TEST(AverageEvery, ExchangesOnceInKUpdates) {
  const auto bytes = [](const distribute::Strategy& strategy) {
    Sequential model({layers::Input({8}), layers::Dense(8)});
    model.compile({.optimizer = "sgd", .loss = "mse", .strategy = strategy});
    return model.fit(at::ones({32, 8}), at::ones({32, 8}), {.batch_size = 2, .verbose = 0}).bytes_sent(0);
  };
  // 16 updates: 16 exchanges of gradients, or 4 of parameters, of the same size.
  EXPECT_EQ(bytes(averaging(2, 4)) * 4,
            bytes(distribute::Mirrored({.devices = {"cpu:0", "cpu:1"}, .threads_per_device = 1})));
}

TEST(AverageEvery, DevicesWithoutRowsCountAsSuch) {
  Sequential model({layers::Input({1}), layers::Dense(1, {.use_bias = false, .kernel_initializer = "zeros"})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse", .strategy = averaging(3, 2)});
  model.fit(at::ones({2, 1}), at::ones({2, 1}), {.batch_size = 1, .verbose = 0});  // the first device alone
  EXPECT_NEAR(model.get_weights()[0].item<double>(), 1 - 0.8 * 0.8, 1e-6);
}

}  // namespace
}  // namespace tandem
