// What a training on several devices does beside its numbers: replicas kept, rows counted, statistics brought together.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <set>

#include "tandem/core/random.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/model.h"
#include "tandem/model/multi_gpu.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/closeness.h"

namespace tandem {
namespace {

distribute::Strategy two_devices() {
  return distribute::Mirrored({.devices = {"cpu:0", "cpu:1"}, .threads_per_device = 1});
}

// Notes where the weights lie that each replica computes with.
class WatchedLayer : public Layer {
 public:
  void build(const Shape& input) override { kernel_ = add_weight("kernel", {input.back(), 1}); }
  Shape output_shape(const Shape& input) override { return {input[0], 1}; }
  Tensor call(const Tensor& x, const CallContext& context) override {
    if (context.training) {
      std::lock_guard lock(mutex_);
      addresses.insert(kernel_.value().const_data_ptr());
    }
    return x.matmul(kernel_.value());
  }
  std::set<const void*> addresses;

 private:
  std::mutex mutex_;
  Weight kernel_;
};

TEST(ReplicaFacts, ParametersStayWhereTheyAre) {  // U02
  const auto watched = make_layer<WatchedLayer>();
  Sequential model({layers::Input({3}), watched});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}), .loss = "mse", .strategy = two_devices()});
  model.fit(at::ones({80, 3}), at::ones({80, 1}), {.batch_size = 4, .verbose = 0});
  EXPECT_EQ(watched->addresses.size(), 2U) << "20 steps on 2 devices must use 2 places";
}

TEST(ReplicaFacts, LogNamesDevicesAndRows) {  // U11, U15
  Sequential model({layers::Input({3}), layers::Dense(1)});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.25}), .loss = "mse", .strategy = two_devices()});
  const testing::CapturedLog log;
  ::testing::internal::CaptureStdout();
  const auto history = model.fit(at::ones({256, 3}), at::ones({256, 1}), {.batch_size = 64, .verbose = 2});
  ::testing::internal::GetCapturedStdout();
  ASSERT_EQ(log.infos().size(), 2U);
  EXPECT_TRUE(log.infos()[1].starts_with("time: cpu:0 ")) << log.infos()[1];
  EXPECT_EQ(log.infos()[0],
            "training on cpu:0,cpu:1 (1 thread each): 32 + 32 rows of each batch of 64, 4 steps an epoch");
  EXPECT_EQ(history.rows_per_device(), (std::vector<int64_t>{128, 128}));
  EXPECT_EQ(model.learning_rate(), 0.25);
  EXPECT_GT(history.bytes_sent(0), 0);
}

TEST(ReplicaFacts, DeviceWithoutRowsIsWarnedOf) {
  Sequential model({layers::Input({3}), layers::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = two_devices()});
  const testing::CapturedLog log;
  model.fit(at::ones({3, 3}), at::ones({3, 1}), {.batch_size = 1, .epochs = 2, .verbose = 0});
  EXPECT_EQ(log.warnings(),
            (std::vector<std::string>{"device cpu:1 got no row in epoch 1; use larger batches or fewer devices",
                                      "device cpu:1 got no row in epoch 2; use larger batches or fewer devices"}));
}

// One step of batch normalization on `x`, which 2 devices share; returns moving mean and variance.
std::pair<double, double> statistics_after(const Tensor& x, int64_t batch_size) {
  Sequential model({layers::Input({1}), layers::BatchNormalization({.momentum = 0.9})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = "mse", .strategy = two_devices()});
  model.fit(x, x, {.batch_size = batch_size, .verbose = 0, .shuffle = false});
  const auto weights = model.get_weights();
  return {weights[2].item<double>(), weights[3].item<double>()};
}

TEST(ReplicaFacts, MovingAveragesReachTheModel) {  // U63
  EXPECT_NEAR(statistics_after(at::full({4, 1}, 2.0), 4).first, 0.2, 1e-6);
}

TEST(ReplicaFacts, MovingAveragesAreAveragedByRows) {  // U64
  const auto equal = statistics_after(at::tensor({1.0F, 1.0F, 3.0F, 3.0F}).view({4, 1}), 4);
  EXPECT_NEAR(equal.first, 0.2, 1e-6);
  EXPECT_NEAR(equal.second, 0.9, 1e-6);  // each replica's rows are equal: variance 0
  // 2 rows of 1 and 1 row of 4: means 0.1 and 0.4, weighed 2 to 1.
  EXPECT_NEAR(statistics_after(at::tensor({1.0F, 1.0F, 4.0F}).view({3, 1}), 3).first, 0.2, 1e-6);
  // A replica that never had a row adds nothing.
  EXPECT_NEAR(statistics_after(at::tensor({5.0F}).view({1, 1}), 1).first, 0.5, 1e-6);
}

TEST(ReplicaFacts, ValidationUsesTheStatisticsThatAreSaved) {  // U64
  set_random_seed(3);
  Sequential model({layers::Input({2}), layers::BatchNormalization({.momentum = 0.5}), layers::Dense(1)});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.05}), .loss = "mse", .strategy = two_devices()});
  const Tensor x = RandomStream(1).normal({16, 2}), y = RandomStream(2).normal({16, 1});
  const auto history = model.fit(
      x, y, {.batch_size = 8, .epochs = 3, .verbose = 0, .validation_data = {x, y}, .validation_batch_size = 16});
  Model other = clone_model(model);
  other.set_weights(model.get_weights());
  other.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_NEAR(other.evaluate(x, y, {.verbose = 0})["loss"], history["val_loss"].back(), 1e-6);
}

TEST(ReplicaFacts, ParallelModelTrainsItsTemplate) {
  set_random_seed(3);
  Sequential model({layers::Input({2}), layers::Dense(1)});
  const Tensor x = RandomStream(1).normal({8, 2}), y = RandomStream(2).normal({8, 1});
  model.predict(x);  // the template has replicas of its own now
  Model parallel = multi_gpu_model(model, Devices{"cpu:0", "cpu:1"});
  parallel.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  const auto before = model.get_weights();
  parallel.fit(x, y, {.batch_size = 4, .verbose = 0});
  const auto after = model.get_weights();
  EXPECT_NE(testing::difference(after[0], before[0], 1e-4), "");
  EXPECT_EQ(testing::difference(after[0], parallel.get_weights()[0], 0), "");
  EXPECT_EQ(testing::difference(model.predict(x), parallel.predict(x), 1e-6), "");
  EXPECT_EQ(testing::difference(model.get_weights()[0], after[0], 0), "");
}

}  // namespace
}  // namespace tandem
