// A training loop reaches a steady state: after the first steps it asks the system for no memory.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tandem/distribution/mirrored.h"
#include "tandem/kernels/cpu_allocator.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/model/model.h"
#include "tandem/optimizers/sgd.h"

namespace tandem {
namespace {

struct MemoryByStep : Callback {
  void on_train_batch_end(int64_t, Logs&) override { steps.push_back(kernels::cpu_allocator_stats()); }
  std::vector<kernels::AllocatorStats> steps;
};

TEST(FitMemory, NoSystemAllocationInTheSteadyState) {
  for (const int64_t devices : {1, 2}) {
    Sequential model({layers::Input({12, 12, 3}), layers::Conv2D(8, 3, {.activation = "relu"}),
                      layers::BatchNormalization(), layers::Flatten(), layers::Dense(4, {.activation = "softmax"})});
    CompileOptions options{.optimizer = optimizers::SGD({.learning_rate = 0.01, .momentum = 0.9}),
                           .loss = "categorical_crossentropy",
                           .metrics = {"accuracy"}};
    if (devices == 2) options.strategy = distribute::Mirrored({.devices = {"cpu:0", "cpu:1"}, .threads_per_device = 1});
    model.compile(options);
    const auto memory = std::make_shared<MemoryByStep>();
    model.fit(at::rand({320, 12, 12, 3}), at::rand({320, 4}),
              {.batch_size = 16, .epochs = 3, .verbose = 0, .callbacks = {memory}});
    ASSERT_EQ(memory->steps.size(), 60U);
    const auto &early = memory->steps[10], &late = memory->steps.back();
    EXPECT_EQ(late.system_allocations, early.system_allocations) << devices;
    EXPECT_EQ(late.bytes_reserved, early.bytes_reserved) << devices;
    EXPECT_GT(late.cache_hits, early.cache_hits + 100) << devices;
  }
}

// Resident memory of this process in MB, from Linux.
double resident_mb() {
  std::ifstream in("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  in >> pages >> resident;
  return static_cast<double>(resident) * 4096 / (1 << 20);
}

struct ResidentByEpoch : Callback {
  void on_epoch_end(int64_t, Logs&) override { epochs.push_back(resident_mb()); }
  std::vector<double> epochs;
};

TEST(FitMemory, ResidentMemoryIsFlatOverFiftyEpochs) {
  Sequential model({layers::Input({12, 12, 3}), layers::Conv2D(8, 3, {.activation = "relu"}), layers::Flatten(),
                    layers::Dense(4, {.activation = "softmax"})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01, .momentum = 0.9}),
                 .loss = "categorical_crossentropy",
                 .metrics = {"accuracy"},
                 .strategy = distribute::Mirrored({.devices = {"cpu:0", "cpu:1"}, .threads_per_device = 1})});
  const auto memory = std::make_shared<ResidentByEpoch>();
  model.fit(at::rand({160, 12, 12, 3}), at::rand({160, 4}),
            {.batch_size = 16, .epochs = 50, .verbose = 0, .callbacks = {memory}, .validation_split = 0.2});
  ASSERT_EQ(memory->epochs.size(), 50U);
  // A leak of one batch's rows an epoch alone, 16 x 12 x 12 x 3 reals, would be 1.2 MB in the last 45.
  EXPECT_LT(memory->epochs.back() - memory->epochs[4], 1.0);
}

}  // namespace
}  // namespace tandem
