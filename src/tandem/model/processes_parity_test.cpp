// Training over processes x devices gives what one device gives, on every process, and the bits of as many devices of
// one process.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/data/random_shift.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/constraints.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lstm.h"
#include "tandem/layers/regularizers.h"
#include "tandem/metrics/precision.h"
#include "tandem/model/processes_case_test.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/loss_scale_optimizer.h"
#include "tandem/optimizers/sgd.h"

namespace tandem {
namespace {

using namespace layers;
using parity::Grid;
using parity::normal;
using parity::one_hot;
using parity::Task;

const std::vector<Grid> kGrids{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}};

std::string text(const Grid& grid) {
  return std::to_string(grid.processes) + " processes of " + std::to_string(grid.devices) + " devices";
}

Model perceptron() {
  return Sequential({Input({6}), Dense(8, {.activation = "relu", .kernel_regularizer = regularizers::L2(0.01)}),
                     Dropout(0.3), Dense(3, {.activation = "softmax"})});
}

CompileOptions with_momentum() {
  return {.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}),
          .loss = "categorical_crossentropy",
          .metrics = {"accuracy"},
          .weighted_metrics = {"mse"}};
}

Model convolutional(bool synchronized) {
  // Without bias, which statistics take out again: Adam would make steps of the rounding in its gradient.
  return Sequential({Input({6, 6, 2}), Conv2D(4, {3, 3}, {.padding = "same", .use_bias = false}),
                     BatchNormalization({.synchronized = synchronized}), Flatten(), Dense(2)});
}

CompileOptions with_adam() {
  return {.optimizer = optimizers::Adam({.learning_rate = 0.01, .clipnorm = 1.0}), .loss = "mse", .metrics = {"mae"}};
}

Task classification(int64_t rows, const FitOptions& fit) {
  return {perceptron, with_momentum(), normal({rows, 6}, 1), one_hot(rows, 3, 2), fit};
}

Task regression(bool synchronized) {
  return {[synchronized] { return convolutional(synchronized); },
          with_adam(),
          normal({13, 6, 6, 2}, 3),
          normal({13, 2}, 4),
          {.batch_size = 5, .epochs = 2, .sample_weight = RandomStream(5).uniform({13})}};
}

distribute::Strategy mirrored(const Grid& grid, const distribute::DataParallelOptions& how) {
  return distribute::Mirrored({.devices = Devices::parse("cpu*" + std::to_string(grid.processes * grid.devices)),
                               .threads_per_device = 1,
                               .shares = how.shares,
                               .fixed_order = how.fixed_order,
                               .all_reduce = how.all_reduce,
                               .average_every = how.average_every,
                               .bucket_bytes = how.bucket_bytes});
}

// `like_one`: also the numbers of one device, to 1e-5.
void expect_process_parity(const Task& task, const distribute::DataParallelOptions& how = {}, bool like_one = true,
                           const std::vector<Grid>& grids = kGrids) {
  const auto one = parity::train(task, 1);
  for (const auto& grid : grids) {
    SCOPED_TRACE(text(grid));
    const auto want = parity::train(task, mirrored(grid, how));
    const auto got = parity::train(task, grid, how);
    for (const auto& result : got) {
      if (like_one) parity::expect_same(result, one);
      parity::expect_same_bits(result, want);
    }
  }
}

TEST(ProcessParity, ShortLastBatch) { expect_process_parity(classification(25, {.batch_size = 8, .epochs = 2})); }

TEST(ProcessParity, AnyBatchSize) {
  for (const int64_t batch_size : {24, 7, 3, 1})
    expect_process_parity(classification(24, {.batch_size = batch_size, .epochs = 1}), {}, true, {{2, 2}, {4, 1}});
}

TEST(ProcessParity, FewerRowsThanRanks) {
  for (const int64_t rows : {1, 2, 3})
    expect_process_parity(classification(rows, {.batch_size = 8, .epochs = 2}), {}, true, {{2, 2}, {4, 1}});
}

TEST(ProcessParity, ValidationAndClassWeights) {
  expect_process_parity(classification(
      31, {.batch_size = 6, .epochs = 3, .validation_split = 0.3, .class_weight = {{0, 0.5}, {2, 3.0}}}));
}

TEST(ProcessParity, AccumulatedGradients) {
  expect_process_parity(classification(29, {.batch_size = 6, .epochs = 2, .accumulate = 3}));
}

TEST(ProcessParity, SynchronizedStatistics) { expect_process_parity(regression(true)); }

TEST(ProcessParity, LocalStatisticsAreThoseOfAsManyDevices) { expect_process_parity(regression(false), {}, false); }

TEST(ProcessParity, Shares) {
  expect_process_parity(classification(25, {.batch_size = 8, .epochs = 2}), {.shares = {3, 1}}, true, {{2, 1}, {1, 2}});
  expect_process_parity(classification(25, {.batch_size = 8, .epochs = 2}), {.shares = {3, 1, 2, 2}}, true, {{2, 2}});
}

TEST(ProcessParity, SharesByMeasuredSpeed) {
  const auto task = classification(64, {.batch_size = 8, .epochs = 4});
  const auto one = parity::train(task, 1);
  for (const auto& result : parity::train(task, {2, 2}, {.shares = "auto"})) parity::expect_same(result, one);
}

TEST(ProcessParity, AveragedParameters) {
  expect_process_parity(classification(25, {.batch_size = 8, .epochs = 2}), {.average_every = 2}, false);
}

TEST(ProcessParity, ManyBuckets) {
  expect_process_parity(classification(25, {.batch_size = 8, .epochs = 2}), {.all_reduce = "ring", .bucket_bytes = 64});
}

TEST(ProcessParity, WhatOptimizersAndConstraintsKeep) {
  auto task = classification(25, {.batch_size = 8, .epochs = 3});
  task.build = [] {
    return Sequential({Input({6}), Dense(8, {.activation = "relu", .kernel_constraint = constraints::NonNeg()}),
                       Dense(3, {.activation = "softmax"})});
  };
  task.compile.optimizer = optimizers::SGD({.learning_rate = 0.1, .global_clipnorm = 0.5, .use_ema = true});
  expect_process_parity(task, {}, true, {{2, 1}, {2, 2}});
  task.compile.optimizer = optimizers::LossScaleOptimizer(optimizers::Adam({.learning_rate = 0.01}));
  expect_process_parity(task, {}, true, {{2, 1}, {2, 2}});
}

TEST(ProcessParity, StatesAreKeptByRank) {
  expect_process_parity({[] {
                           return Sequential({Input({3, 2}, {.batch_size = 4}), LSTM(5, {.stateful = true}), Dense(2)});
                         },
                         {.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"},
                         normal({20, 3, 2}, 1),
                         normal({20, 2}, 2),
                         {.batch_size = 4, .epochs = 2, .shuffle = false}},
                        {}, true, {{2, 1}, {2, 2}});
}

// Dropout, augmentation, batch norm, Adam.
TEST(ProcessParity, FixedOrderGivesTheSameBitsOnAnyGrid) {
  Task task{[] {
              return Sequential({Input({8, 8, 3}), Conv2D(6, {3, 3}, {.padding = "same"}), BatchNormalization(),
                                 Dropout(0.3), Flatten(), Dense(4, {.activation = "softmax"})});
            },
            {.optimizer = optimizers::Adam({.learning_rate = 0.01}),
             .loss = "categorical_crossentropy",
             .metrics = {"accuracy"}},
            normal({50, 8, 8, 3}, 1),
            one_hot(50, 4, 2),
            {.batch_size = 24, .epochs = 3, .validation_split = 0.2, .augmentation = data::RandomShift(0.2)}};
  const distribute::DataParallelOptions how{.fixed_order = 4, .bucket_bytes = 2048};
  const auto one = parity::train(task, mirrored({1, 1}, how));
  for (const auto& grid : kGrids) {
    SCOPED_TRACE(text(grid));
    for (const auto& result : parity::train(task, grid, how)) parity::expect_same_bits(result, one);
  }
}

}  // namespace
}  // namespace tandem
