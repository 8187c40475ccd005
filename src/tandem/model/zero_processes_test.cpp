// ZeRO over processes x devices: the numbers of one device, and files that are whole.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/callbacks/backup_and_restore.h"
#include "tandem/callbacks/lambda_callback.h"
#include "tandem/distribution/zero.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/regularizers.h"
#include "tandem/model/body.h"
#include "tandem/model/load_model.h"
#include "tandem/model/processes_case_test.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/loss_scale_optimizer.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

using namespace layers;
using parity::Grid;
using parity::normal;
using parity::one_hot;

parity::MakeStrategy zero_of(int64_t stage) {
  return [stage](const distribute::ProcessGroup& group, const Devices& devices) {
    return distribute::Zero(
        {.group = group, .devices = devices, .stage = stage, .threads_per_device = 1, .bucket_bytes = 256});
  };
}

Model regularized() {
  return Sequential({Input({6}), Dense(8, {.activation = "relu", .kernel_regularizer = regularizers::L2(0.01)}),
                     Dropout(0.3), Dense(3, {.activation = "softmax"})});
}

void expect_zero_process_parity(const parity::Task& task) {
  const auto one = parity::train(task, 1);
  for (const int64_t stage : {1, 2, 3}) {
    for (const auto& grid : std::vector<Grid>{{2, 1}, {2, 2}}) {
      SCOPED_TRACE("stage " + std::to_string(stage) + " on " + std::to_string(grid.processes) + " processes of " +
                   std::to_string(grid.devices));
      for (const auto& result : parity::train_with(task, grid, zero_of(stage))) parity::expect_same(result, one);
    }
  }
}

TEST(ZeroProcesses, GiveTheNumbersOfOneDevice) {
  const auto with = [](const Handle<Optimizer>& optimizer, int64_t rows, const FitOptions& fit) {
    return parity::Task{regularized,
                        {.optimizer = optimizer, .loss = "categorical_crossentropy", .metrics = {"accuracy"}},
                        normal({rows, 6}, 1),
                        one_hot(rows, 3, 2),
                        fit};
  };
  const optimizers::SGD momentum({.learning_rate = 0.1, .momentum = 0.9});
  expect_zero_process_parity(with(momentum, 25, {.batch_size = 8, .epochs = 2, .validation_split = 0.2}));
  expect_zero_process_parity(with(momentum, 3, {.batch_size = 2, .epochs = 2}));
  expect_zero_process_parity(with(optimizers::SGD({.learning_rate = 0.1, .clipnorm = 0.2, .use_ema = true}), 29,
                                  {.batch_size = 6, .epochs = 2, .accumulate = 3}));
  expect_zero_process_parity(
      with(optimizers::LossScaleOptimizer(optimizers::SGD({.learning_rate = 0.1, .global_clipnorm = 0.2})), 12,
           {.batch_size = 5, .epochs = 2}));
}

TEST(ZeroProcesses, SynchronizeStatistics) {
  expect_zero_process_parity({[] {
                                return Sequential({Input({6, 6, 2}),
                                                   Conv2D(4, {3, 3}, {.padding = "same", .use_bias = false}),
                                                   BatchNormalization({.synchronized = true}), Flatten(), Dense(2)});
                              },
                              {.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"},
                              normal({13, 6, 6, 2}, 3),
                              normal({13, 2}, 4),
                              {.batch_size = 5, .epochs = 2}});
}

const CompileOptions& zero_by_adam() {
  static const CompileOptions options{.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                                      .loss = "categorical_crossentropy"};
  return options;
}

const FitOptions kOneEpoch{.batch_size = 8, .epochs = 1, .verbose = 0, .shuffle = false};

TEST(ZeroProcesses, FilesAreWholeAndOpenOnAnyOtherLayout) {
  const testing::TemporaryFolder folder;
  const Tensor x = normal({40, 6}, 1), y = one_hot(40, 3, 2);
  const auto built = [] { return Sequential({Input({6}), Dense(8, {.activation = "tanh"}), Dense(3)}); };
  const auto begin_alone = [&] {
    set_random_seed(11);
    Model model = built();
    model.compile(zero_by_adam());
    model.fit(x, y, kOneEpoch);
    return model;
  };
  Model unbroken = begin_alone();
  const auto plain = folder.file("plain.weights.h5");
  unbroken.save_weights(plain);
  unbroken.fit(x, y, kOneEpoch);
  const auto expect_unbroken = [&](Model& model) {
    const auto got = model.get_weights(), want = unbroken.get_weights();
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(testing::difference(got[i], want[i], 1e-5), "") << i;
  };
  for (const int64_t stage : {1, 2, 3}) {
    SCOPED_TRACE(stage);
    const auto path = folder.file("sharded.keras");
    parity::on_grid_with({2, 2}, built, zero_by_adam(), zero_of(stage), [&](Model& model, int64_t) {
      model.fit(x, y, kOneEpoch);
      model.save(path);
    });
    Model alone = load_model(path);
    alone.fit(x, y, kOneEpoch);
    expect_unbroken(alone);
    parity::on_grid_with({2, 1}, built, zero_by_adam(), zero_of(stage), [&](Model& model, int64_t process) {
      if (process == 0) model.body().restore(plain);  // the others take it over
      model.fit(x, y, kOneEpoch);
      if (process == 1) expect_unbroken(model);
    });
  }
}

TEST(ZeroProcesses, AllGoOnFromTheBackupThatTheFirstReads) {
  const auto train_in_parts = [](bool broken) {
    const testing::TemporaryFolder folder;
    std::vector<Tensor> weights;
    for (const bool again : {false, true}) {
      if (again && !broken) break;
      parity::on_grid_with({2, 1}, regularized, zero_by_adam(), zero_of(2), [&](Model& model, int64_t process) {
        const callbacks::BackupAndRestore backup(folder.file("backup" + std::to_string(process)),
                                                 {.delete_checkpoint = false});
        const callbacks::LambdaCallback breaks({.on_epoch_end = [&](int64_t epoch, const Logs&) {
          if (broken && !again && epoch == 1) model.stop_training();
        }});
        model.fit(normal({20, 6}, 1), one_hot(20, 3, 2),
                  {.batch_size = 8, .epochs = 4, .verbose = 0, .callbacks = {backup, breaks}});
        if (process == 1) weights = model.get_weights();
        if (process == 0) model.get_weights();
      });
    }
    return weights;
  };
  const auto want = train_in_parts(false), got = train_in_parts(true);
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(at::equal(got[i], want[i])) << i;
}

}  // namespace
}  // namespace tandem
