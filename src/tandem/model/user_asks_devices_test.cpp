// Small cases of what users of several devices stumble over elsewhere.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>

#include "tandem/callbacks/lambda_callback.h"
#include "tandem/kernels/cpu_allocator.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/layers/up_sampling2d.h"
#include "tandem/model/body.h"
#include "tandem/model/multi_gpu.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/closeness.h"

namespace tandem {
namespace {

using layers::Dense;
using layers::Input;
using parity::normal;
using parity::on_devices;
using testing::difference;

// Doubles, and notes how many rows each call had.
struct CountsRows : Layer {
  Tensor call(const Tensor& x, const CallContext&) override {
    const std::lock_guard lock(mutex);
    rows.push_back(x.size(0));
    return x * 2;
  }
  std::mutex mutex;
  std::vector<int64_t> rows;
};

TEST(UserAsksDevices, NoReplicaIsCalledWithoutRows) {  // U05
  const auto counts = make_layer<CountsRows>();
  Sequential model({Input({2}), counts});
  Model parallel = multi_gpu_model(model, Devices::parse("cpu*4"));
  parallel.predict(at::ones({4, 2}));  // replicas are made, and may try the model out
  for (const int64_t rows : {1, 3, 5}) {
    counts->rows.clear();
    const Tensor x = normal({rows, 2}, 1);
    EXPECT_TRUE(at::equal(parallel.predict(x), x * 2));
    EXPECT_EQ(counts->rows.size(), static_cast<std::size_t>(std::min<int64_t>(rows, 4)));
    int64_t seen = 0;
    for (const int64_t part : counts->rows) {
      EXPECT_GT(part, 0);
      seen += part;
    }
    EXPECT_EQ(seen, rows);
  }
}

TEST(UserAsksDevices, AsManyUpdatesAsOnOneDevice) {  // U06: 10 rows in batches of 4
  for (const int64_t devices : {1, 4}) {
    Sequential model({Input({2}), Dense(1)});
    model.compile({.optimizer = "adam", .loss = "mse", .strategy = on_devices(devices)});
    const auto history = model.fit(normal({10, 2}, 1), normal({10, 1}, 2), {.batch_size = 4, .verbose = 0});
    EXPECT_EQ(model.body().optimizer_state().integer("iterations"), 3);
    EXPECT_TRUE(std::isfinite(history["loss"][0]));
  }
}

// What travels in fit does not grow with the outputs: they are not brought together.
TEST(UserAsksDevices, FitMovesNoOutputs) {  // U10
  const auto bytes = [](int64_t side) {
    Sequential model({Input({1, 1, 2}), Dense(2), layers::UpSampling2D(side)});
    model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}, .strategy = on_devices(2)});
    const auto history =
        model.fit(normal({8, 1, 1, 2}, 1), normal({8, side, side, 2}, 2), {.batch_size = 4, .verbose = 0});
    return history.bytes_sent(0) + history.bytes_sent(1);
  };
  EXPECT_GT(bytes(1), 0);
  EXPECT_EQ(bytes(64), bytes(1));
}

struct ResidualNet : SubclassedModel {
  Dense first = track("first", Dense(3, {.activation = "tanh"}));
  Dense second = track("second", Dense(3));
  Tensor call(const Tensor& x, const CallContext& context) override { return x + second(first(x, context), context); }
};

TEST(UserAsksDevices, GradientsOfASubclassedModelAddUpToOneDevices) {  // U13: with rate 1 the step is the gradient
  std::vector<std::vector<Tensor>> gradients;
  for (const int64_t devices : {1, 2}) {
    set_random_seed(4);
    Model model = make_model<ResidualNet>();
    model.predict(at::ones({1, 3}));
    const auto before = model.get_weights();
    model.compile(
        {.optimizer = optimizers::SGD({.learning_rate = 1.0}), .loss = "mse", .strategy = on_devices(devices)});
    model.train_on_batch(normal({7, 3}, 1), normal({7, 3}, 2));
    auto& steps = gradients.emplace_back(model.get_weights());
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i] -= before[i];
  }
  ASSERT_EQ(gradients[0].size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_GT(gradients[0][i].abs().max().item<double>(), 0) << i;
    EXPECT_EQ(difference(gradients[1][i], gradients[0][i], 1e-6), "") << i;
  }
}

TEST(UserAsksDevices, BatchSizeIsOfAllDevicesAndTheRateStays) {  // U15: 256 rows in batches of 64
  for (const int64_t devices : {1, 2, 4}) {
    Sequential model({Input({3}), Dense(1)});
    model.compile(
        {.optimizer = optimizers::SGD({.learning_rate = 0.25}), .loss = "mse", .strategy = on_devices(devices)});
    int64_t steps = 0;
    model.fit(at::ones({256, 3}), at::ones({256, 1}),
              {.batch_size = 64,
               .verbose = 0,
               .callbacks = {callbacks::LambdaCallback({.on_train_batch_end = [&](int64_t, Logs&) { ++steps; }})}});
    EXPECT_EQ(steps, 4) << devices;
    EXPECT_EQ(model.learning_rate(), 0.25);
  }
}

// A replica takes memory for its parameters and their gradients, and none besides.
TEST(UserAsksDevices, EightReplicasAreCopiedOnceEach) {  // U19
  kernels::install_cpu_allocator();
  Sequential model({Input({1024}), Dense(1024, {.use_bias = false})});  // 4 MiB
  const int64_t model_bytes = 4 << 20;
  kernels::release_cached_memory();
  const int64_t before = kernels::cpu_allocator_stats().bytes_in_use;
  Model parallel = multi_gpu_model(model, Devices::parse("cpu*8"));
  parallel.body().trainer().execution();
  const auto stats = kernels::cpu_allocator_stats();
  EXPECT_GE(stats.bytes_in_use - before, 8 * model_bytes) << "the allocator was not asked";
  EXPECT_LE(static_cast<double>(stats.bytes_in_use - before), 1.1 * 8 * 2 * model_bytes);
}

}  // namespace
}  // namespace tandem
