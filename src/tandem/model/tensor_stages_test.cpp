// Stages of divided layers are cut where the model would be, whatever stands between its layers then.
#include <gtest/gtest.h>

#include "tandem/distribution/mesh.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/group_query_attention.h"
#include "tandem/layers/input.h"
#include "tandem/layers/multi_head_attention.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/sgd.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;

// A model of two layers is cut between them, whatever they cost.
void expect_two_stages(const std::function<Model()>& build, const Tensor& x, const Tensor& y) {
  const Task task{build,
                  {.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}), .loss = "mse"},
                  x,
                  y,
                  {.batch_size = 8, .epochs = 3}};
  const auto one = train(task, distribute::SingleDevice("cpu:0"));
  for (const int64_t data : {1, 2}) {
    SCOPED_TRACE(std::to_string(data) + " replicas");
    expect_same(train(task, distribute::Mesh({.devices = Devices::parse("cpu*" + std::to_string(4 * data)),
                                              .data = data,
                                              .pipe = 2,
                                              .tensor = 2,
                                              .threads_per_device = 1})),
                one);
  }
}

// The last projection's bias is taken off before the sum and given back after it: both with its weight's stage.
TEST(TensorStages, CutBehindAttention) {
  const auto heads = [] {
    const auto x = Input({5, 6});
    return Model(x, Dense(3)(MultiHeadAttention(2, 4)(x, x)));
  };
  expect_two_stages(heads, normal({22, 5, 6}, 1), normal({22, 5, 3}, 2));
  const auto grouped = [] {
    const auto x = Input({5, 6});
    return Model(x, Dense(3)(GroupQueryAttention(4, 4, 2)(x, x)));
  };
  expect_two_stages(grouped, normal({22, 5, 6}, 1), normal({22, 5, 3}, 2));
}

TEST(TensorStages, CutBetweenCallsOfOneLayer) {
  const auto build = [] {
    const auto x = Input({6});
    const Dense twice(6, {.activation = "tanh"});
    return Model(x, twice(twice(x)));
  };
  expect_two_stages(build, normal({22, 6}, 1), normal({22, 6}, 2));
}

// The inputs of a model within are steps, too.
TEST(TensorStages, CutInFrontOfAModelWithin) {
  const auto build = [] {
    const auto x = Input({6});
    return Model(x, Sequential({Input({6}), Dense(4)})(x));
  };
  expect_two_stages(build, normal({22, 6}, 1), normal({22, 4}, 2));
}

TEST(TensorStages, InterleavedAndComputedAgain) {
  const auto build = [] {
    return Sequential({Input({6}), Dense(8, {.activation = "tanh"}), Dropout(0.3), Dense(8, {.activation = "relu"}),
                       Dense(8, {.activation = "tanh"}), Dense(3)});
  };
  const Task task{build,
                  {.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}), .loss = "mse"},
                  normal({22, 6}, 1),
                  normal({22, 3}, 2),
                  {.batch_size = 8, .epochs = 3}};
  const auto one = train(task, distribute::SingleDevice("cpu:0"));
  for (const int64_t tensor : {1, 2}) {
    SCOPED_TRACE(std::to_string(tensor) + " parts");
    expect_same(train(task, distribute::Mesh({.devices = Devices::parse("cpu*" + std::to_string(4 * tensor)),
                                              .data = 2,
                                              .pipe = 2,
                                              .tensor = tensor,
                                              .micro_batches = 2,
                                              .schedule = "interleaved",
                                              .chunks = 2,
                                              .recompute = true,
                                              .threads_per_device = 1})),
                one);
  }
}

}  // namespace
}  // namespace tandem
