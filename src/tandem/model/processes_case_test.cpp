#include "tandem/model/processes_case_test.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/layers/layer_names.h"
#include "tandem/metrics/precision.h"
#include "tandem/optimizers/adam.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/thread_processes.h"

namespace tandem::parity {

namespace {

MakeStrategy data_parallel(const distribute::DataParallelOptions& options) {
  return [options](const distribute::ProcessGroup& group, const Devices& devices) {
    auto own = options;
    own.group = group;
    own.devices = devices;
    own.threads_per_device = 1;
    return distribute::DataParallel(own);
  };
}

}  // namespace

void on_processes(const Grid& grid, const std::function<Model()>& build, const CompileOptions& compile,
                  const MakeStrategy& make, const std::function<void(Model&, int64_t process)>& act,
                  const std::function<void(const AsProcess&)>& run) {
  const testing::CapturedLog quiet;
  std::vector<Model> models;
  for (int64_t p = 0; p < grid.processes; ++p) {
    clear_session();
    set_random_seed(11);
    models.push_back(build());
  }
  run([&](const std::shared_ptr<comm::Processes>& processes) {
    const int64_t p = processes->rank().rank();
    auto how = compile;
    how.optimizer = Optimizer::make(compile.optimizer.get()->class_name(), compile.optimizer.get()->get_config());
    how.strategy = make(distribute::ProcessGroup(processes, p), Devices::parse("cpu*" + std::to_string(grid.devices)));
    auto& model = models[static_cast<std::size_t>(p)];
    model.compile(how);
    act(model, p);
  });
}

void on_grid(const Grid& grid, const std::function<Model()>& build, const CompileOptions& compile,
             const distribute::DataParallelOptions& options, const std::function<void(Model&, int64_t process)>& act) {
  on_grid_with(grid, build, compile, data_parallel(options), act);
}

void on_grid_with(const Grid& grid, const std::function<Model()>& build, const CompileOptions& compile,
                  const MakeStrategy& make, const std::function<void(Model&, int64_t process)>& act) {
  on_processes(grid, build, compile, make, act,
               [&](const AsProcess& as) { testing::run_processes(grid.processes, as); });
}

std::vector<Result> train(const Task& task, const Grid& grid, const distribute::DataParallelOptions& options) {
  return train_with(task, grid, data_parallel(options));
}

std::vector<Result> train_with(const Task& task, const Grid& grid, const MakeStrategy& make) {
  std::vector<Result> results(static_cast<std::size_t>(grid.processes));
  on_grid_with(grid, task.build, task.compile, make,
               [&](Model& model, int64_t process) { results[static_cast<std::size_t>(process)] = train(task, model); });
  return results;
}

Model two_layers() {
  return Sequential({layers::Input({6}), layers::Dense(8, {.activation = "tanh"}), layers::Dropout(0.2),
                     layers::Dense(3, {.activation = "softmax"})});
}

CompileOptions by_adam() {
  return {.optimizer = optimizers::Adam({.learning_rate = 0.01}),
          .loss = "categorical_crossentropy",
          .metrics = {"accuracy", metrics::Precision()}};
}

const Tensor& some_x() {
  static const Tensor x = normal({26, 6}, 1);
  return x;
}
const Tensor& some_y() {
  static const Tensor y = one_hot(26, 3, 2);
  return y;
}

void expect_same_bits(const Result& got, const Result& want) {
  ASSERT_EQ(got.weights.size(), want.weights.size());
  for (std::size_t i = 0; i < want.weights.size(); ++i)
    EXPECT_TRUE(at::equal(got.weights[i], want.weights[i])) << "weight " << i;
  for (const auto& [name, values] : want.history.series()) EXPECT_EQ(got.history[name], values) << name;
  for (const auto& [name, value] : want.evaluation) EXPECT_EQ(got.evaluation[name], value) << name;
  ASSERT_EQ(got.predictions.size(), want.predictions.size());
  for (int64_t i = 0; i < want.predictions.size(); ++i)
    EXPECT_TRUE(at::equal(got.predictions[i], want.predictions[i])) << "output " << i;
}

}  // namespace tandem::parity
