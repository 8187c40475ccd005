// However gradients travel, and whatever part of a batch a device gets, training gives what one device gives.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/constraints.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/layers/regularizers.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/sgd.h"

namespace tandem {
namespace {

using namespace layers;
using parity::normal;
using parity::one_hot;

parity::Task mlp(const Handle<Optimizer>& optimizer) {
  return {
      [] {
        return Sequential({Input({6}), Dense(16, {.activation = "relu", .kernel_regularizer = regularizers::L2(0.01)}),
                           Dropout(0.25), Dense(9, {.kernel_constraint = constraints::MaxNorm(1.0)}),
                           Dense(3, {.activation = "softmax"})});
      },
      {.optimizer = optimizer, .loss = "categorical_crossentropy", .metrics = {"accuracy"}},
      normal({25, 6}, 1),
      one_hot(25, 3, 2),
      {.batch_size = 7, .epochs = 3}};
}

const std::vector<Handle<Optimizer>>& optimizers_to_try() {
  static const std::vector<Handle<Optimizer>> all{optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}),
                                                  optimizers::Adam({.learning_rate = 0.02, .clipnorm = 0.5})};
  return all;
}

TEST(ExchangeParity, EveryAlgorithmAndBucketSize) {
  for (const auto& optimizer : optimizers_to_try()) {
    const auto task = mlp(optimizer);
    const auto one = parity::train(task, 1);
    for (const char* how : {"auto", "direct", "ring", "tree", "host"}) {
      for (const int64_t bucket_bytes : {1, 300, 1 << 20}) {
        for (const int64_t devices : {2, 3, 5}) {
          SCOPED_TRACE(std::string(how) + ", buckets of " + std::to_string(bucket_bytes) + ", devices " +
                       std::to_string(devices));
          parity::expect_same(
              parity::train(task, distribute::Mirrored({.devices = Devices::parse("cpu*" + std::to_string(devices)),
                                                        .threads_per_device = 1,
                                                        .all_reduce = how,
                                                        .bucket_bytes = bucket_bytes})),
              one);
        }
      }
    }
  }
}

TEST(ExchangeParity, UnequalShares) {  // U14
  const auto task = mlp(optimizers_to_try().front());
  const auto one = parity::train(task, 1);
  for (const char* shares : {"3,1", "1,20", "5,3", "auto"}) {
    const auto two = parity::train(
        task, distribute::Mirrored({.devices = {"cpu:0", "cpu:1"}, .threads_per_device = 1, .shares = shares}));
    parity::expect_same(two, one);
  }
}

TEST(ExchangeParity, SharesDivideEachBatch) {  // U14: batches of 8 as 6 + 2
  auto task = mlp(optimizers_to_try().front());
  task.x = normal({24, 6}, 1);
  task.y = one_hot(24, 3, 2);
  task.fit.batch_size = 8;
  const auto two = parity::train(
      task, distribute::Mirrored({.devices = {"cpu:0", "cpu:1"}, .threads_per_device = 1, .shares = {3, 1}}));
  EXPECT_EQ(two.history.rows_per_device(), (std::vector<int64_t>{3 * 3 * 6, 3 * 3 * 2}));
}

}  // namespace
}  // namespace tandem
