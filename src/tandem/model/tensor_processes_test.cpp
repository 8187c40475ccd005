// Layers divided over processes: what one device gives, on every process.
#include <gtest/gtest.h>

#include <atomic>

#include "tandem/core/random.h"
#include "tandem/distribution/mesh.h"
#include "tandem/distribution/single_device.h"
#include "tandem/distribution/tensor_parallel.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/model/body.h"
#include "tandem/model/processes_case_test.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/loss_scale_optimizer.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;

MakeStrategy mesh(int64_t data, int64_t tensor) {
  return [=](const distribute::ProcessGroup& group, const Devices&) {
    return distribute::Mesh(
        {.devices = {"cpu:0"}, .group = group, .data = data, .tensor = tensor, .threads_per_device = 1});
  };
}

distribute::Strategy tensor(const distribute::ProcessGroup& group, const Devices& own) {
  return distribute::TensorParallel({.devices = own, .group = group, .threads_per_device = 1});
}

Model divided() {
  return Sequential({Input({6}), Dense(8, {.activation = "relu"}), Dropout(0.3), Dense(7, {.activation = "tanh"}),
                     Dense(3, {.activation = "softmax"})});
}

Task one_of_them() {
  return {divided,
          {.optimizer = optimizers::Adam({.learning_rate = 0.01, .global_clipnorm = 0.5}),
           .loss = "categorical_crossentropy",
           .metrics = {"accuracy"}},
          normal({25, 6}, 1),
          one_hot(25, 3, 2),
          {.batch_size = 8, .epochs = 2}};
}

// The random numbers that on_grid_with begins with.
Result alone(const Task& task) {
  return train_with(task, {1, 1}, [](const distribute::ProcessGroup&, const Devices&) {
    return distribute::SingleDevice("cpu:0");
  })[0];
}

TEST(TensorProcesses, EachGetsWhatOneDeviceGives) {
  const auto task = one_of_them();
  const auto one = alone(task);
  for (const int64_t n : {2, 3}) {
    SCOPED_TRACE(std::to_string(n) + " processes");
    for (const auto& got : train_with(task, {n, 1}, tensor)) expect_same(got, one);
  }
  SCOPED_TRACE("2 x 2 processes");
  for (const auto& got : train_with(task, {4, 1}, mesh(2, 2))) expect_same(got, one);
}

TEST(TensorProcesses, StatisticsAndFewerRowsThanReplicas) {
  const auto build = [] {
    return Sequential({Input({6, 6, 2}), Conv2D(4, {3, 3}, {.use_bias = false}),
                       BatchNormalization({.synchronized = true}), Flatten(), Dense(2)});
  };
  Task task{build,
            {.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse", .metrics = {"mae"}},
            normal({9, 6, 6, 2}, 3),
            normal({9, 2}, 4),
            {.batch_size = 4, .epochs = 2}};  // the last batch has one row
  const auto one = alone(task);
  for (const auto& got : train_with(task, {4, 1}, mesh(2, 2))) expect_same(got, one);
}

// One process alone may ask for the state, as the one that writes a file does.
TEST(TensorProcesses, TheStateIsTheWholeModels) {
  const auto task = one_of_them();
  StateDict want;
  const auto fit = [&](Model& model) { model.fit(task.x, task.y, {.batch_size = 8, .epochs = 1, .verbose = 0}); };
  on_grid_with(
      {1, 1}, task.build, task.compile,
      [](const distribute::ProcessGroup&, const Devices&) { return distribute::SingleDevice("cpu:0"); },
      [&](Model& model, int64_t) {
        fit(model);
        want = model.body().optimizer_state();
      });
  on_grid_with({2, 1}, task.build, task.compile, tensor, [&](Model& model, int64_t process) {
    fit(model);
    if (process != 0) return;
    const auto got = model.body().optimizer_state();
    EXPECT_EQ(got.integer("iterations"), want.integer("iterations"));
    for (const auto& [name, value] : want) {
      if (const auto* values = std::get_if<Tensor>(&value)) {
        EXPECT_EQ(testing::difference(got.tensor(name), *values, 1e-5), "") << name;
      }
    }
  });
}

// All go on from the first process's weights and state.
TEST(TensorProcesses, ResumesFromTheFirstOnesState) {
  const auto task = one_of_them();
  StateDict state;
  std::vector<Tensor> weights, want;
  on_grid_with(
      {1, 1}, task.build, task.compile,
      [](const distribute::ProcessGroup&, const Devices&) { return distribute::SingleDevice("cpu:0"); },
      [&](Model& model, int64_t) {
        const FitOptions once{.batch_size = 8, .epochs = 1, .verbose = 0, .shuffle = false};
        model.fit(task.x, task.y, once);
        state = model.body().optimizer_state();
        weights = model.get_weights();
        model.body().set_optimizer_state(state);
        model.fit(task.x, task.y, once);
        want = model.get_weights();
      });
  on_grid_with({2, 1}, task.build, task.compile, tensor, [&](Model& model, int64_t process) {
    const FitOptions once{.batch_size = 8, .epochs = 1, .verbose = 0, .shuffle = false};
    model.fit(task.x, task.y, once);
    if (process == 0) {
      model.set_weights(weights);
      model.body().set_optimizer_state(state);
    }
    model.fit(task.x, task.y, once);
    const auto got = model.get_weights();
    for (std::size_t i = 0; i < want.size(); ++i)
      EXPECT_EQ(testing::difference(got[i], want[i], 1e-5), "") << "weight " << i << " of process " << process;
  });
}

TEST(TensorProcesses, AFailureInOneEndsAll) {
  struct Fails : Layer {
    Shape output_shape(const Shape& input) override { return input; }
    Tensor call(const Tensor& x, const CallContext& context) override {
      if (context.training && fails) throw InvalidArgument("this process fails");
      return x;
    }
    bool fails = false;
  };
  const auto build = [] { return Sequential({Input({6}), Dense(8), make_layer<Fails>(), Dense(3)}); };
  const auto message = testing::message_of<Error>([&] {
    on_grid_with({2, 1}, build, {.loss = "mse"}, tensor, [](Model& model, int64_t process) {
      dynamic_cast<Fails&>(*model.layers()[1]).fails = process == 1;
      model.fit(normal({8, 6}, 1), normal({8, 3}, 2), {.batch_size = 8, .verbose = 0});
    });
  });
  EXPECT_NE(message.find("this process fails"), std::string::npos) << message;
}

TEST(TensorProcesses, AllMustHaveTheSameModel) {
  std::atomic<int64_t> made{0};
  const auto build = [&] { return Sequential({Input({6}), Dense(8), Dense(3 + made++, {.name = "head"})}, "net"); };
  EXPECT_EQ(testing::message_of([&] {
              on_grid_with({2, 1}, build, {.loss = "mse"}, tensor, [](Model& model, int64_t) {
                model.fit(normal({8, 6}, 1), normal({8, 3}, 2), {.batch_size = 8, .verbose = 0});
              });
            }),
            "tensor parallel: model 'net': all ranks must have the same, but rank 1 has weight 2 'kernel' [8, 4] of "
            "Float and rank 0 has weight 2 'kernel' [8, 3] of Float");
}

TEST(TensorProcesses, RefusesMeshesThatDoNotFit) {
  EXPECT_EQ(testing::message_of([] {
              train_with(one_of_them(), {2, 1}, mesh(2, 2));
            }),
            "Mesh: data 2 x pipe 1 x tensor 2 must be the number of devices of all processes, got 2");
  EXPECT_EQ(testing::message_of([] {
              train_with(one_of_them(), {2, 2}, tensor);
            }),
            "TensorParallel: each process must have one device, got cpu:0,cpu:1");
}

}  // namespace
}  // namespace tandem
