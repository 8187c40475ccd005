// Updates that a loss scale leaves out: told once, whoever has the gradient that is not finite; and the scale in files.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tandem/distribution/mesh.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/distribution/pipeline_parallel.h"
#include "tandem/distribution/tensor_parallel.h"
#include "tandem/distribution/zero.h"
#include "tandem/layers/activity_regularization.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/body.h"
#include "tandem/model/load_model.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/loss_scale_optimizer.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

using namespace layers;
using namespace distribute;
using parity::normal;

/// What is in front of it gets no gradient.
struct Stop : Layer {
  Shape output_shape(const Shape& input) override { return input; }
  Tensor call(const Tensor& x, const CallContext&) override { return x.detach(); }
};

CompileOptions scaled(const Strategy& strategy, double initial_scale = 32768, double minimum_scale = 1) {
  return {.optimizer = optimizers::LossScaleOptimizer(optimizers::SGD({.learning_rate = 0.1}),
                                                      {.initial_scale = initial_scale, .minimum_scale = minimum_scale}),
          .loss = "mse",
          .strategy = strategy};
}

// Gradients that no scale makes finite, but for those of layer 'first'.
std::vector<std::string> told_by(const Strategy& strategy, int64_t steps) {
  Sequential model({Input({6}), Dense(8, {.name = "first"}), make_layer<Stop>(), Dense(8, {.name = "middle"}),
                    Dense(4, {.name = "last"})});
  model.compile(scaled(strategy));
  const testing::CapturedLog log;
  for (int64_t step = 0; step < steps; ++step) model.train_on_batch(at::full({8, 6}, 1e30), normal({8, 4}, 1));
  EXPECT_EQ(model.body().optimizer_state().integer("iterations"), 0);
  std::vector<std::string> told;
  for (const auto& line : log.warnings()) {
    if (line.find("updates in a row") != std::string::npos) told.push_back(line);
  }
  return told;
}

TEST(SkippedUpdates, EveryStrategyNamesTheFirstTensorOnce) {
  const auto cpus = [](int64_t n) { return Devices::parse("cpu*" + std::to_string(n)); };
  const std::vector<std::pair<std::string, Strategy>> strategies{
      {"mirrored", Mirrored({.devices = cpus(2)})},
      {"zero 1", Zero({.devices = cpus(2), .stage = 1})},
      {"zero 2", Zero({.devices = cpus(3), .stage = 2})},
      {"zero 3", Zero({.devices = cpus(2), .stage = 3})},
      {"pipeline", PipelineParallel({.devices = cpus(2), .boundaries = {"first"}})},
      {"pipeline, the first stage has it", PipelineParallel({.devices = cpus(2), .boundaries = {"middle"}})},
      {"replicas of a pipeline", PipelineParallel({.devices = cpus(4), .data = 2, .boundaries = {"first"}})},
      {"tensor", TensorParallel({.devices = cpus(2)})},
      {"data x tensor", Mesh({.devices = cpus(4), .data = 2, .tensor = 2})},
      {"data x tensor, zero 3", Mesh({.devices = cpus(4), .data = 2, .tensor = 2, .zero = 3})},
      {"pipe x tensor", Mesh({.devices = cpus(4), .pipe = 2, .tensor = 2})},
      {"data x pipe, zero 1", Mesh({.devices = cpus(4), .data = 2, .pipe = 2, .zero = 1})},
      {"data x pipe, zero 2", Mesh({.devices = cpus(4), .data = 2, .pipe = 2, .zero = 2})},
      {"data x pipe x tensor, zero 3", Mesh({.devices = cpus(8), .data = 2, .pipe = 2, .tensor = 2, .zero = 3})}};
  const auto one = told_by(SingleDevice("cpu:0"), 20);
  ASSERT_EQ(one.size(), 2U);  // after ten in a row, and after twenty
  EXPECT_NE(one.front().find("is the gradient of weight 'middle/kernel'"), std::string::npos) << one.front();
  for (const auto& [name, strategy] : strategies) {
    SCOPED_TRACE(name);
    EXPECT_EQ(told_by(strategy, 20), one);
  }
}

TEST(SkippedUpdates, TheScaleComesBackFromAFileThoughNoUpdateWasMade) {
  const testing::TemporaryFolder folder;
  for (const std::string name : {"m.keras", "m.h5"}) {
    SCOPED_TRACE(name);
    Sequential model({Input({6}), Dense(4)});
    model.compile(scaled({}, 64, 4));
    for (int step = 0; step < 3; ++step) model.train_on_batch(at::full({8, 6}, 1e30), normal({8, 4}, 1));
    model.save(folder.file(name));
    Model loaded = load_model(folder.file(name));
    EXPECT_EQ(loaded.body().optimizer_state().number("number/1"), 8);
    EXPECT_EQ(loaded.body().optimizer_state().integer("iterations"), 0);
    loaded.save(folder.file("again-" + name));  // without a step
    EXPECT_EQ(load_model(folder.file("again-" + name)).body().optimizer_state().number("number/1"), 8);
  }
}

// 2^130 is beyond float32: losses times that are infinite, until it has been halved.
TEST(SkippedUpdates, AScaleMayBeginBeyondWhatALossCanBe) {
  for (const Strategy& strategy :
       {Strategy(SingleDevice("cpu:0")),
        Strategy(PipelineParallel({.devices = Devices::parse("cpu*2"), .boundaries = {"first"}})),
        Strategy(Mesh({.devices = Devices::parse("cpu*4"), .data = 2, .pipe = 2, .zero = 3}))}) {
    SCOPED_TRACE(strategy->name());
    Sequential model({Input({6}), Dense(8, {.name = "first"}), ActivityRegularization({.l2 = 0.01}), Dense(4)});
    model.compile(scaled(strategy, std::ldexp(1.0, 130)));
    for (int step = 0; step < 2; ++step) model.train_on_batch(normal({8, 6}, 1), normal({8, 4}, 2));
    EXPECT_EQ(model.body().optimizer_state().number("number/1"), std::ldexp(1.0, 128));
    EXPECT_EQ(model.body().optimizer_state().integer("iterations"), 0);
  }
}

}  // namespace
}  // namespace tandem
