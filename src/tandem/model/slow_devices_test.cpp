// What fit says about time on several devices, and about data that is waited for.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <chrono>
#include <regex>
#include <thread>

#include "tandem/core/random.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/model.h"
#include "tandem/testing/captured_log.h"

namespace tandem {
namespace {

distribute::Strategy four_cpus() { return distribute::Mirrored({.devices = Devices::parse("cpu*4")}); }

// What is warned of in a training of 12 steps on 4 devices.
std::vector<std::string> warnings_of(int64_t units, int64_t batch_size, int64_t epochs = 1) {
  Sequential model({layers::Input({16}), layers::Dense(units, {.activation = "relu"}),
                    layers::Dense(units, {.activation = "relu"}), layers::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = four_cpus()});
  const Tensor x = RandomStream(1).normal({12 * batch_size, 16}), y = x.sum(1, true);
  const testing::CapturedLog log;
  model.fit(x, y, {.batch_size = batch_size, .epochs = epochs, .verbose = 0, .shuffle = false});
  return log.warnings();
}

// Other programs may disturb the clocks of a training, never of all five.
constexpr int kAttempts = 5;

TEST(SlowDevices, ATinyModelIsSlowedDownByItsExchange) {  // U03
  const std::regex line(
      "a step takes [0-9.]+ ms on 4 devices and [0-9.]+ ms on cpu:0 alone; beside [0-9.]+ ms of computing on each "
      "device most of it is gradient exchange \\([0-9.]+ ms\\): larger batches or fewer devices help");
  std::vector<std::string> warnings;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    warnings = warnings_of(8, 32, 3);
    EXPECT_LE(warnings.size(), 1u) << "once a training";
    if (!warnings.empty() && std::regex_match(warnings[0], line)) return;
  }
  ADD_FAILURE() << (warnings.empty() ? "no warning" : warnings[0]);
}

TEST(SlowDevices, AModelThatIsWorthFourDevicesIsNotWarnedOf) {  // U03
  std::vector<std::string> warnings;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    warnings = warnings_of(512, 4096);
    if (warnings.empty()) return;
  }
  ADD_FAILURE() << warnings[0];
}

TEST(SlowDevices, EachBatchSizeOfAModelIsMeasuredOnce) {
  Sequential model({layers::Input({16}), layers::Dense(8), layers::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = four_cpus()});
  const Tensor x = RandomStream(1).normal({320, 16}), y = x.sum(1, true);
  const auto warnings = [&](int64_t batch_size) {
    const testing::CapturedLog log;
    model.fit(x, y, {.batch_size = batch_size, .verbose = 0, .shuffle = false});
    return log.warnings().size();
  };
  std::size_t warned = 0;
  for (int64_t batch_size : {16, 20, 24, 28, 32}) {
    warned += warnings(batch_size);
    EXPECT_EQ(warnings(batch_size), 0u) << "it was measured before";
  }
  EXPECT_GE(warned, 2u) << "not for the first batch size alone";
}

TEST(SlowDevices, TimesOfEachDeviceAreLogged) {
  Sequential model({layers::Input({16}), layers::Dense(8), layers::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = four_cpus()});
  const Tensor x = RandomStream(1).normal({64, 16});
  const testing::CapturedLog log;
  ::testing::internal::CaptureStdout();
  model.fit(x, x.sum(1, true), {.batch_size = 16, .verbose = 2});
  ::testing::internal::GetCapturedStdout();
  ASSERT_EQ(log.infos().size(), 2u);
  const std::string device =
      "cpu:[0-3] [0-9]+ % computing, [0-9]+ % exchange, [0-9]+ % waiting, [0-9]+ % input(, [0-9]+ % other)?";
  EXPECT_TRUE(
      std::regex_match(log.infos()[1], std::regex("time: " + device + "; " + device + "; " + device + "; " + device)))
      << log.infos()[1];
}

// 4 rows a batch, 20 ms each, and next to nothing to compute.
TEST(SlowDevices, InputBoundTrainingIsTold) {  // U31
  Sequential model({layers::Input({2}), layers::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto rows = Dataset::from(40, [](int64_t i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return data::Example{.x = at::full({2}, static_cast<double>(i)), .y = at::ones({1})};
  });
  const auto told = [&](const Dataset& data) {
    const testing::CapturedLog log;
    const auto history = model.fit(data, {.verbose = 0});
    EXPECT_GT(history.facts().input_seconds, 0.3 * history.facts().seconds);
    return log.warnings();
  };
  const auto warnings = told(rows.batch(4).prefetch(2, 1));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(warnings[0].starts_with("training is input-bound: it waited for data during ")) << warnings[0];
}

}  // namespace
}  // namespace tandem
