#include "tandem/model/pipeline_parity_test.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/distribution/pipeline_parallel.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lstm.h"
#include "tandem/losses/dice.h"
#include "tandem/model/processes_case_test.h"
#include "tandem/network/flat_graph.h"
#include "tandem/network/graph_within.h"
#include "tandem/network/stateful.h"
#include "tandem/network/subclassed.h"
#include "tandem/optimizers/sgd.h"

namespace tandem::parity {
namespace {

bool any_weight(const Model& model, bool (*has)(const Weight&)) {
  const auto weights = model.network()->weights();
  return std::any_of(weights.begin(), weights.end(), has);
}

// What cannot be staged, all of it.
struct NotStaged {
  const char* text;  // a part of the error
  bool (*applies)(const Task& task, const Model& model);
};
const NotStaged kNotStaged[] = {
    {"be functional or Sequential",
     [](const Task&, const Model& model) {
       return dynamic_cast<const SubclassedModel*>(model.network().get()) != nullptr;
     }},
    {"have no stateful layer", [](const Task&, const Model& model) { return fixed_batch(*model.network()) > 0; }},
    {"have no synchronized batch normalisation",
     [](const Task&, const Model& model) {
       return any_weight(model, [](const Weight& w) { return w.variable().of_whole_batch; });
     }},
    {"must not need the whole batch at once", [](const Task& task, const Model&) { return task.needs_whole_batch; }},
    {"must have no more parts than that",
     [](const Task&, const Model& model) {
       const auto* graph = graph_within(*model.network());
       return graph && flatten_graph(*graph).steps.size() < 2;
     }},
};

const NotStaged* reason_of(const Task& task) {
  const Model model = task.build();
  for (const auto& reason : kNotStaged) {
    if (reason.applies(task, model)) return &reason;
  }
  return nullptr;
}

distribute::PipelineParallelOptions two_stages(int64_t data) {
  return {.devices = Devices::parse("cpu*" + std::to_string(2 * data)),
          .data = data,
          .micro_batches = 3,
          .threads_per_device = 1};
}

distribute::Strategy of_process(const distribute::ProcessGroup& group, const Devices& own) {
  return distribute::PipelineParallel(
      {.group = group, .devices = own, .data = 2, .micro_batches = 2, .threads_per_device = 1});
}

}  // namespace

void expect_pipeline_parity(const Task& task, const Result& one) {
  const auto* reason = reason_of(task);
  // By micro batch, so that the numbers are others: PipelineReplicas and PipelineProcesses have these.
  const bool normalises =
      any_weight(task.build(), [](const Weight& w) { return !w.trainable() && w.name() == "moving_mean"; });
  if (!reason && normalises) return;
  try {
    for (const int64_t data : {1, 2}) {
      SCOPED_TRACE(std::to_string(data) + " replicas of two stages");
      expect_same(train(task, distribute::PipelineParallel(two_stages(data))), one);
    }
    EXPECT_EQ(reason, nullptr) << reason->text;
  } catch (const InvalidArgument& error) {
    if (!reason) throw;
    EXPECT_NE(std::string(error.what()).find(reason->text), std::string::npos) << error.what();
    return;
  }
  SCOPED_TRACE("two replicas of two stages in four processes");
  for (const auto& result : train_with(task, {4, 1}, of_process)) expect_same(result, one);
}

// Each reason of the list is one.
TEST(PipelineParity, WhatIsRefused) {
  struct Own : SubclassedModel {
    layers::Dense out = track("out", layers::Dense(2));
    Tensor call(const Tensor& x, const CallContext& context) override { return out(x, context); }
  };
  const CompileOptions plain{.optimizer = optimizers::SGD(), .loss = "mse"};
  const auto task = [](const std::function<Model()>& build, const CompileOptions& compile) {
    return Task{build, compile, normal({8, 6}, 1), normal({8, 2}, 2), {.batch_size = 4}};
  };
  const auto chain = [] { return Sequential({layers::Input({6}), layers::Dense(4), layers::Dense(2)}); };
  std::vector<Task> refused{
      task([] { return make_model<Own>(); }, plain),
      task(
          [] {
            return Sequential(
                {layers::Input({3, 2}, {.batch_size = 4}), layers::LSTM(5, {.stateful = true}), layers::Dense(2)});
          },
          plain),
      task(
          [] {
            return Sequential(
                {layers::Input({6}), layers::BatchNormalization({.synchronized = true}), layers::Dense(2)});
          },
          plain),
      task(chain, {.optimizer = optimizers::SGD(), .loss = losses::Dice()}),
      task(
          [] {
            return Sequential({layers::Input({6}), layers::Dense(2)});
          },
          plain)};
  refused[1].x = normal({8, 3, 2}, 1);
  refused[3].needs_whole_batch = true;
  std::set<const NotStaged*> reasons;
  for (std::size_t i = 0; i < refused.size(); ++i) {
    ASSERT_NE(reason_of(refused[i]), nullptr) << i;
    reasons.insert(reason_of(refused[i]));
    EXPECT_THROW(train(refused[i], distribute::PipelineParallel(two_stages(1))), InvalidArgument) << i;
  }
  EXPECT_EQ(reasons.size(), std::size(kNotStaged));
}

}  // namespace tandem::parity
