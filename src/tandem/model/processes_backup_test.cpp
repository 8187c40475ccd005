// Files of processes that train together: one writes, all go on from what it reads.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tandem/callbacks/backup_and_restore.h"
#include "tandem/callbacks/lambda_callback.h"
#include "tandem/callbacks/model_checkpoint.h"
#include "tandem/distribution/tensor_parallel.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/model/processes_case_test.h"
#include "tandem/optimizers/adam.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

using namespace layers;
using callbacks::LambdaCallback;

Model with_dropout() { return Sequential({Input({4}), Dense(8, {.activation = "tanh"}), Dropout(0.3), Dense(2)}); }

using Weights = std::vector<std::vector<Tensor>>;

// Two processes' weights after four epochs, and how often each of them saw one begin. `broken_in`: the training ends
// after that epoch, and another one goes on from the backup. Each process has a folder of its own: only the first one's
// holds files.
Weights train_with_backup(const testing::TemporaryFolder& folder, int64_t broken_in, std::vector<int64_t>& epochs,
                          const parity::MakeStrategy& make) {
  Weights weights(2);
  epochs.assign(2, 0);
  for (const bool again : {false, true}) {
    if (again && broken_in < 0) break;
    parity::on_grid_with({2, 1}, with_dropout, {.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse"},
                         make, [&](Model& model, int64_t process) {
                           const auto p = static_cast<std::size_t>(process);
                           const callbacks::BackupAndRestore backup(folder.file("backup" + std::to_string(process)),
                                                                    {.delete_checkpoint = false});
                           const LambdaCallback breaks({.on_epoch_end = [&](int64_t epoch, const Logs&) {
                             ++epochs[p];
                             if (!again && epoch == broken_in) model.stop_training();
                           }});
                           model.fit(parity::normal({20, 4}, 1), parity::normal({20, 2}, 2),
                                     {.batch_size = 8, .epochs = 4, .verbose = 0, .callbacks = {backup, breaks}});
                           weights[p] = model.get_weights();
                         });
  }
  return weights;
}

void expect_to_go_on(const parity::MakeStrategy& make) {
  const testing::TemporaryFolder whole, broken;
  std::vector<int64_t> epochs;
  const auto want = train_with_backup(whole, -1, epochs, make);
  EXPECT_EQ(epochs, (std::vector<int64_t>{4, 4}));
  const auto got = train_with_backup(broken, 1, epochs, make);
  EXPECT_EQ(epochs, (std::vector<int64_t>{4, 4}));
  for (std::size_t p = 0; p < 2; ++p) {
    for (std::size_t i = 0; i < want[p].size(); ++i) {
      EXPECT_TRUE(at::equal(got[p][i], want[0][i])) << p << " " << i;
    }
  }
  EXPECT_TRUE(std::filesystem::exists(broken.file("backup0")));
  EXPECT_FALSE(std::filesystem::exists(broken.file("backup1")));
}

TEST(ProcessesFiles, AllGoOnFromTheBackupThatTheFirstReads) {
  expect_to_go_on([](const distribute::ProcessGroup& group, const Devices& own) {
    return distribute::DataParallel({.group = group, .devices = own, .threads_per_device = 1});
  });
}

// Each has a part of the layers, and the file all of them.
TEST(ProcessesFiles, PartsGoOnFromTheBackupThatTheFirstReads) {
  expect_to_go_on([](const distribute::ProcessGroup& group, const Devices& own) {
    return distribute::TensorParallel({.devices = own, .group = group, .threads_per_device = 1});
  });
}

TEST(ProcessesFiles, OneWritesCheckpointsAndModels) {
  const testing::TemporaryFolder folder;
  parity::on_grid({2, 1}, with_dropout, {.optimizer = "sgd", .loss = "mse"}, {}, [&](Model& model, int64_t process) {
    const auto own = "own" + std::to_string(process);
    const callbacks::ModelCheckpoint checkpoint(folder.file(own + "/best.weights.h5"),
                                                {.monitor = "loss", .save_best_only = true, .save_weights_only = true});
    model.fit(parity::normal({20, 4}, 1), parity::normal({20, 2}, 2), {.verbose = 0, .callbacks = {checkpoint}});
    EXPECT_TRUE(checkpoint.best().has_value()) << "known to all";
    model.save_weights(folder.file(own + ".weights.h5"));
    if (process == 0) model.save_weights(folder.file("alone.weights.h5"));  // needs nobody else between passes
  });
  EXPECT_TRUE(std::filesystem::exists(folder.file("own0/best.weights.h5")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("own1")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("own0.weights.h5")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("own1.weights.h5")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("alone.weights.h5")));
}

}  // namespace
}  // namespace tandem
