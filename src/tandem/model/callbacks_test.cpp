// Callbacks on models that are trained: what they find out about the model, and what they leave behind.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "tandem/callbacks/csv_logger.h"
#include "tandem/callbacks/early_stopping.h"
#include "tandem/callbacks/progbar_logger.h"
#include "tandem/core/random.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/metrics/function.h"
#include "tandem/metrics/mean.h"
#include "tandem/metrics/regression_metrics.h"
#include "tandem/model/body.h"
#include "tandem/model/model.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using callbacks::EarlyStopping;
using testing::message_of;

Model monitored_model() {
  Sequential model({layers::Input({3}), layers::Dense(4, {.activation = "tanh"}), layers::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}});
  return model;
}

const Tensor& rows_of_three() {
  static const Tensor x = RandomStream(5).normal({20, 3});
  return x;
}

const Tensor& sums_of_three() {
  static const Tensor y = rows_of_three().sum(1, true);
  return y;
}

TEST(MonitorDirection, OfCompiledMetricsByTheNamesThatLogsShow) {
  const auto x = layers::Input({3});
  Model model({x}, {layers::Dense(1, {.name = "a"})(x), layers::Dense(2, {.name = "b"})(x)});
  model.compile(
      {.optimizer = "sgd",
       .loss = "mse",
       .metrics = {{"a", {"mae", metrics::CosineSimilarity()}},
                   {"b", {"acc", metrics::function("mine", [](const Tensor& y, const Tensor& p) { return y - p; })}}}});
  auto& body = model.body();
  EXPECT_EQ(body.monitor_direction("loss"), "min");
  EXPECT_EQ(body.monitor_direction("a_mae"), "min");
  EXPECT_EQ(body.monitor_direction("mae"), "min");
  EXPECT_EQ(body.monitor_direction("a_cosine_similarity"), "max");
  EXPECT_EQ(body.monitor_direction("b_acc"), "max");
  EXPECT_EQ(body.monitor_direction("b_mine"), "") << "nobody knows";
  EXPECT_EQ(body.monitor_direction("b_mae"), "");
  EXPECT_EQ(body.monitor_direction("accuracy"), "");
}

TEST(CallbacksInFit, AMonitorWithoutDirectionIsRefusedBeforeTraining) {
  Model model = monitored_model();
  const auto before = model.get_weights();
  EXPECT_EQ(message_of([&] {
              model.fit(rows_of_three(), sums_of_three(),
                        {.verbose = 0, .callbacks = {EarlyStopping({.monitor = "val_accuracy"})}});
            }),
            "EarlyStopping: mode auto must find 'val_accuracy' among the compiled metrics to know which way it gets "
            "better, and does not; set mode to min or max");
  EXPECT_TRUE(at::equal(model.get_weights()[0], before[0]));
}

TEST(CallbacksInFit, AnExplicitProgbarLoggerIsTheOnlyBar) {
  const testing::CapturedLog log;
  const auto lines = [](int64_t verbose) {
    Model model = monitored_model();
    ::testing::internal::CaptureStdout();
    const FitOptions options{.epochs = 2, .verbose = verbose, .callbacks = {callbacks::ProgbarLogger()}};
    model.fit(rows_of_three(), sums_of_three(), options);
    model.evaluate(rows_of_three(), sums_of_three(), {.verbose = verbose, .callbacks = {callbacks::ProgbarLogger()}});
    model.predict(rows_of_three(), {.verbose = verbose, .callbacks = {"ProgbarLogger"}});
    const auto text = ::testing::internal::GetCapturedStdout();
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines(1), 2 * 2 + 1 + 1);
  EXPECT_EQ(lines(2), 2 * 2 + 1 + 1);
  EXPECT_EQ(lines(0), 0);
}

TEST(CallbacksInFit, TerminateOnNaNEndsTheEpoch) {
  const testing::CapturedLog log;
  Model model = monitored_model();
  const Tensor y = sums_of_three().clone();
  y[7].fill_(std::numeric_limits<float>::quiet_NaN());
  const auto history =
      model.fit(rows_of_three(), y,
                {.batch_size = 5, .epochs = 3, .verbose = 0, .callbacks = {"TerminateOnNaN"}, .shuffle = false});
  EXPECT_EQ(history.epoch().size(), 1U);
  EXPECT_EQ(history.rows_per_device(), std::vector<int64_t>{10});
}

TEST(CallbacksInFit, CsvLogHasALineAnEpochAndTheHistorysColumns) {
  const std::string path = ::testing::TempDir() + "callbacks_test_log.csv";
  Model model = monitored_model();
  const auto history =
      model.fit(rows_of_three(), sums_of_three(),
                {.epochs = 3, .verbose = 0, .callbacks = {callbacks::CSVLogger(path)}, .validation_split = 0.25});
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::filesystem::remove(path);
  ASSERT_EQ(lines.size(), 4U);
  std::string names = "epoch";
  for (const auto& [name, values] : history.series()) names += "," + name;
  EXPECT_EQ(lines[0], names + "\r");
}

}  // namespace
}  // namespace tandem
