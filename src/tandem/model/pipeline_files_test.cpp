// Files of pipelines over processes: the first one writes all, and all go on from what it reads.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tandem/callbacks/backup_and_restore.h"
#include "tandem/callbacks/lambda_callback.h"
#include "tandem/distribution/mesh.h"
#include "tandem/distribution/pipeline_parallel.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/model/body.h"
#include "tandem/model/load_model.h"
#include "tandem/model/processes_case_test.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

using namespace layers;
using callbacks::LambdaCallback;
using distribute::PipelineParallel;
using parity::by_adam;
using parity::some_x;
using parity::some_y;

Model saved_chain() {
  return Sequential({Input({6}), Dense(8, {.activation = "tanh", .name = "p"}), Dropout(0.2, {.name = "q"}),
                     Dense(8, {.activation = "relu", .name = "r"}), Dense(3, {.activation = "softmax"})});
}

parity::MakeStrategy saved_in_processes(distribute::PipelineParallelOptions options) {
  return [options](const distribute::ProcessGroup& group, const Devices& own) {
    auto how = options;
    how.group = group;
    how.devices = own;
    how.threads_per_device = 1;
    return PipelineParallel(how);
  };
}

TEST(PipelineFiles, TheFirstSavesAll) {
  const testing::TemporaryFolder folder;
  const auto file = [&](int64_t process) { return folder.file("m" + std::to_string(process) + ".keras"); };
  std::vector<std::vector<Tensor>> saved(4);
  parity::on_grid_with({4, 1}, saved_chain, by_adam(), saved_in_processes({.data = 2}),
                       [&](Model& model, int64_t process) {
                         model.fit(some_x(), some_y(), {.batch_size = 8, .verbose = 0, .shuffle = false});
                         model.save(file(process));
                         saved[static_cast<std::size_t>(process)] = model.get_weights();
                       });
  EXPECT_FALSE(std::filesystem::exists(file(1)));
  Model model = load_model(file(0));
  for (std::size_t i = 0; i < saved[0].size(); ++i) EXPECT_TRUE(at::equal(model.get_weights()[i], saved[3][i])) << i;
  EXPECT_EQ(model.body().optimizer_state().integer("iterations"), 4);
  const auto adam = model.body().optimizer_state();
  for (std::size_t i = 0; i < model.trainable_weights().size(); ++i) {
    for (const char* slot : {"momentum/", "velocity/"})
      EXPECT_GT(adam.tensor(slot + std::to_string(i)).abs().max().item<float>(), 0) << slot << i;
  }
}

TEST(PipelineFiles, ABackupThatTheFirstReadsIsGoneOnFrom) {
  const auto train = [](const testing::TemporaryFolder& folder, int64_t broken_in) {
    std::vector<std::vector<Tensor>> weights(2);
    for (const bool again : {false, true}) {
      if (again && broken_in < 0) break;
      parity::on_grid_with(
          {2, 1}, saved_chain, by_adam(), saved_in_processes({.boundaries = {"q"}}),
          [&](Model& model, int64_t process) {
            const callbacks::BackupAndRestore backup(folder.file("b" + std::to_string(process)),
                                                     {.delete_checkpoint = false});
            const LambdaCallback breaks({.on_epoch_end = [&](int64_t epoch, const Logs&) {
              if (!again && epoch == broken_in) model.stop_training();
            }});
            model.fit(some_x(), some_y(), {.batch_size = 8, .epochs = 4, .verbose = 0, .callbacks = {backup, breaks}});
            weights[static_cast<std::size_t>(process)] = model.get_weights();
          });
    }
    return weights;
  };
  const testing::TemporaryFolder whole, broken;
  const auto want = train(whole, -1), got = train(broken, 1);
  for (std::size_t p = 0; p < 2; ++p) {
    for (std::size_t i = 0; i < want[0].size(); ++i) EXPECT_TRUE(at::equal(got[p][i], want[0][i])) << p << " " << i;
  }
}

TEST(PipelineFiles, AnyLayoutGoesOnFromThem) {
  const testing::TemporaryFolder folder;
  const auto file = folder.file("m.keras");
  parity::on_grid_with({2, 2}, saved_chain, by_adam(), saved_in_processes({.data = 2}), [&](Model& model, int64_t) {
    model.fit(some_x(), some_y(), {.batch_size = 8, .verbose = 0});
    model.save(file);
  });
  const auto go_on = [&](const distribute::Strategy& strategy) {
    set_random_seed(5);
    Model model = load_model(file);
    auto compile = by_adam();
    compile.strategy = strategy;
    const auto state = model.body().optimizer_state();
    model.compile(compile);
    model.body().set_optimizer_state(state);
    model.fit(some_x(), some_y(), {.batch_size = 8, .verbose = 0, .shuffle = false});
    return model.get_weights();
  };
  const auto one = go_on(distribute::SingleDevice("cpu:0"));
  const auto staged = go_on(PipelineParallel({.devices = Devices::parse("cpu*4"), .data = 2}));
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(at::allclose(staged[i], one[i], 1e-5, 1e-5)) << i;
  for (const int64_t zero : {1, 2, 3}) {
    const auto divided =
        go_on(distribute::Mesh({.devices = Devices::parse("cpu*4"), .data = 2, .pipe = 2, .zero = zero}));
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(at::allclose(divided[i], one[i], 1e-5, 1e-5)) << i;
  }
}

// Of replicas that divide the optimizer's state of each stage: half of it on each, and whole in files.
TEST(PipelineFiles, StateThatReplicasDivideIsWhole) {
  const auto trained = [](const distribute::Strategy& strategy, Model& model) {
    set_random_seed(5);
    model = saved_chain();
    auto compile = by_adam();
    compile.strategy = strategy;
    model.compile(compile);
    return model.fit(some_x(), some_y(), {.batch_size = 8, .epochs = 2, .verbose = 0, .shuffle = false});
  };
  Model one = saved_chain(), four = saved_chain();
  trained(distribute::SingleDevice("cpu:0"), one);
  const auto history =
      trained(distribute::Mesh({.devices = Devices::parse("cpu*4"), .data = 2, .pipe = 2, .zero = 1}), four);
  int64_t slots = 0, parameters = 0;
  for (int64_t device = 0; device < 4; ++device) {
    slots += history.optimizer_bytes(device);
    parameters += history.parameter_bytes(device);
  }
  EXPECT_EQ(slots, parameters);  // two slots in two halves beside two copies of the parameters
  const auto want = one.body().optimizer_state(), got = four.body().optimizer_state();
  for (std::size_t i = 0; i < one.trainable_weights().size(); ++i) {
    for (const char* slot : {"momentum/", "velocity/"}) {
      const auto name = slot + std::to_string(i);
      EXPECT_TRUE(at::allclose(got.tensor(name), want.tensor(name), 1e-4, 1e-6)) << name;
    }
  }
}

}  // namespace
}  // namespace tandem
