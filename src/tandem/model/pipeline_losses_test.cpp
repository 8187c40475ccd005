// Losses of pipelines that leave values out: they divide by what counts in all micro batches of all replicas.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/device.h"
#include "tandem/core/mask.h"
#include "tandem/distribution/pipeline_parallel.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/activity_regularization.h"
#include "tandem/layers/add.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/embedding.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lstm.h"
#include "tandem/losses/sparse_categorical_crossentropy.h"
#include "tandem/model/processes_case_test.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;
using distribute::PipelineParallelOptions;

void expect_in_pipelines(const Task& task) {
  const auto one = train(task, distribute::SingleDevice("cpu:0"));
  for (const auto& options :
       {PipelineParallelOptions{.micro_batches = 3, .schedule = "gpipe"}, PipelineParallelOptions{.micro_batches = 3},
        PipelineParallelOptions{.data = 2, .micro_batches = 2},
        PipelineParallelOptions{.micro_batches = 2, .schedule = "interleaved", .chunks = 2},
        PipelineParallelOptions{.data = 2, .micro_batches = 4, .recompute = true}}) {
    SCOPED_TRACE(std::to_string(options.data) + " replicas, " + options.schedule);
    auto own = options;
    own.devices = Devices::parse("cpu*" + std::to_string(2 * options.data));
    own.threads_per_device = 1;
    expect_same(train(task, distribute::PipelineParallel(own)), one);
  }
  SCOPED_TRACE("four processes");
  const auto make = [](const distribute::ProcessGroup& group, const Devices& own) {
    return distribute::PipelineParallel(
        {.group = group, .devices = own, .data = 2, .micro_batches = 2, .threads_per_device = 1});
  };
  for (const auto& result : train_with(task, {4, 1}, make)) expect_same(result, one);
}

Tensor labels_of(int64_t rows) { return (RandomStream(4).uniform({rows, 6}) * 4).to(at::kInt); }

// Tokens of unequal lengths, padded behind with 0.
Tensor ids_with_padding(int64_t rows) {
  Tensor ids = (RandomStream(3).uniform({rows, 6}) * 5).floor() + 1;
  for (int64_t row = 0; row < rows; ++row) ids[row].slice(0, 1 + row % 4).zero_();
  return ids;
}

TEST(PipelineLosses, IgnoredClassesLeaveTheDivisor) {
  const auto build = [] {
    return Sequential(
        {Input({6, 3}), Dense(5, {.activation = "tanh"}), ActivityRegularization({.l2 = 0.01}), Dense(5), Dense(4)});
  };
  const CompileOptions compile{.optimizer = optimizers::SGD({.learning_rate = 0.3}),
                               .loss = losses::SparseCategoricalCrossentropy({.from_logits = true, .ignore_class = 0})};
  Tensor labels = labels_of(13);
  labels.slice(0, 0, 4).zero_();  // micro batches, and a replica, with nothing but ignored labels
  for (const int64_t batch_size : {8, 4}) {
    expect_in_pipelines(
        {build, compile, normal({13, 6, 3}, 1), labels, {.batch_size = batch_size, .epochs = 2, .shuffle = false}});
  }
  expect_in_pipelines({build, compile, normal({1, 6, 3}, 1), labels_of(1), {.batch_size = 8, .epochs = 2}});
}

TEST(PipelineLosses, MasksOfPaddedSteps) {
  const auto build = [] {
    const auto ids = Input({6});
    const auto words = Dropout(0.2)(Embedding(6, 4, {.mask_zero = true})(ids));
    const auto read = LSTM(4, {.return_sequences = true})(words);
    return Model(ids, Dense(4, {.activation = "softmax"})(Add()({words, read})));
  };
  const CompileOptions compile{.optimizer = optimizers::SGD({.learning_rate = 0.3}),
                               .loss = "sparse_categorical_crossentropy",
                               .metrics = {"accuracy"},
                               .weighted_metrics = {"accuracy"}};
  Task task{build, compile, ids_with_padding(9), labels_of(9), {.batch_size = 4, .epochs = 2}};
  expect_in_pipelines(task);
  task.fit.sample_weight = RandomStream(5).uniform({9, 6}) * 2;
  task.fit.accumulate = 2;
  expect_in_pipelines(task);
}

// Each output divides by what counts in it.
TEST(PipelineLosses, OutputsOfDifferentStagesWithAndWithoutMasks) {
  const auto build = [] {
    const auto ids = Input({6});
    const auto words = Embedding(6, 4, {.mask_zero = true})(ids);
    const auto early = Dense(4, {.activation = "softmax", .name = "early"})(words);
    const auto flat = Dense(5, {.activation = "tanh"})(Flatten()(words));
    return Model(ids, {early, Dense(2, {.name = "late"})(flat)});
  };
  const CompileOptions compile{.optimizer = optimizers::SGD({.learning_rate = 0.3}),
                               .loss = {"sparse_categorical_crossentropy", "mse"},
                               .loss_weights = {1.0, 0.5},
                               .metrics = {{"late", {"mae"}}, {"early", {"accuracy"}}}};
  expect_in_pipelines(
      {build, compile, ids_with_padding(11), {labels_of(11), normal({11, 2}, 6)}, {.batch_size = 4, .epochs = 2}});
}

// Whether there are masks is found out when the model is bound, and must stay so.
TEST(PipelineLosses, AMaskThatComesAndGoesIsRefused) {
  struct MasksInTraining : Layer {
    Shape output_shape(const Shape& input) override { return input; }
    Tensor call(const Tensor& x, const CallContext& context) override {
      Tensor y = x * 1;
      if (context.training) set_mask(y, at::ones({x.size(0)}, at::kBool));
      return y;
    }
  };
  Sequential model({Input({6}), Dense(3), make_layer<MasksInTraining>()});
  model.compile({.loss = "mse", .strategy = distribute::PipelineParallel({.devices = {"cpu:0", "cpu:1"}})});
  EXPECT_EQ(testing::message_of([&] {
              model.train_on_batch(normal({8, 6}, 1), normal({8, 3}, 2));
            }).substr(0, 69),
            "PipelineParallel: an output must come with a mask always, or never: o");
}

}  // namespace
}  // namespace tandem
