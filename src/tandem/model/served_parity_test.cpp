#include "tandem/model/served_parity_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/distribution/parameter_server.h"
#include "tandem/layers/constraints.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/network/scoped_devices.h"
#include "tandem/optimizers/loss_scale_optimizer.h"
#include "tandem/optimizers/sgd.h"

namespace tandem::parity {
namespace {

// What is not there with servers, all of it.
struct Refusal {
  const char* text;  // a part of the error
  bool (*applies)(const Task& task, const Model& model, const Served& served);
};
const Refusal kRefusals[] = {
    {"must have no layers in DeviceScopes",
     [](const Task&, const Model& model, const Served&) {
       const auto scopes = scoped_devices(*model.network());
       return std::any_of(scopes.begin(), scopes.end(), [](const auto& scope) { return scope.has_value(); });
     }},
    {"scales the loss, which servers do not know",
     [](const Task& task, const Model&, const Served&) {
       return task.compile.optimizer.get()->class_name() == "LossScaleOptimizer";
     }},
    {"global_clipnorm needs the norm over all weights",
     [](const Task& task, const Model&, const Served& served) {
       return served.servers > 1 && task.compile.optimizer.get()->clipping().global_clipnorm > 0;
     }},
    {"each must have a whole weight",
     [](const Task& task, const Model& model, const Served& served) {
       const auto rule = task.compile.optimizer.get();
       const auto weights = model.trainable_weights();
       const bool constrained = std::any_of(weights.begin(), weights.end(),
                                            [](const Weight& w) { return w.variable().constraint != nullptr; });
       const bool whole = !rule->elementwise() || rule->clipping().clipnorm > 0 || constrained;
       return whole && served.servers > static_cast<int64_t>(weights.size());
     }},
    {"minimize: must be for all weights",
     [](const Task& task, const Model&, const Served&) { return task.updates_in_parts; }},
    {"accumulate must be 1", [](const Task& task, const Model&,
                                const Served& served) { return served.mode != "sync" && task.fit.accumulate > 1; }},
};

const Refusal* refusal_of(const Task& task, const Served& served) {
  const Model model = task.build();
  for (const auto& refusal : kRefusals) {
    if (refusal.applies(task, model, served)) return &refusal;
  }
  return nullptr;
}

}  // namespace

distribute::Strategy Served::strategy() const {
  return distribute::ParameterServer({.workers = Devices::parse("cpu*" + std::to_string(workers)),
                                      .servers = servers,
                                      .threads_per_device = 1,
                                      .mode = mode,
                                      .staleness = mode == "stale" ? 2 : -1,
                                      .bucket_bytes = 256});
}

void expect_served_parity(const Task& task, const Result& one) {
  for (const auto& served : {Served{2, 1, "sync"}, Served{3, 2, "sync"}, Served{1, 1, "async"}, Served{1, 2, "async"},
                             Served{1, 2, "stale"}}) {
    SCOPED_TRACE(served.mode + ", " + std::to_string(served.workers) + " workers, " + std::to_string(served.servers) +
                 " servers");
    const auto* refusal = refusal_of(task, served);
    try {
      const auto got = train(task, served.strategy());
      EXPECT_EQ(refusal, nullptr) << refusal->text;
      expect_same(got, one);
      EXPECT_EQ(got.history.max_staleness(), 0);
    } catch (const InvalidArgument& error) {
      if (!refusal) throw;
      EXPECT_NE(std::string(error.what()).find(refusal->text), std::string::npos) << error.what();
    }
  }
}

// Each reason of the list is one; updates in parts are CustomParity's.
TEST(ServedParity, WhatIsRefused) {
  const auto dense = [](const layers::DenseOptions& options) {
    return [options] { return Sequential({layers::Input({6}), layers::Dense(2, options)}); };
  };
  const CompileOptions plain{.optimizer = optimizers::SGD(), .loss = "mse"};
  const auto task = [](const std::function<Model()>& build, const CompileOptions& compile, int64_t accumulate) {
    return Task{build, compile, normal({8, 6}, 1), normal({8, 2}, 2), {.batch_size = 4, .accumulate = accumulate}};
  };
  const auto by = [&](const Handle<Optimizer>& optimizer) {
    auto own = plain;
    own.optimizer = optimizer;
    return task(dense({}), own, 1);
  };
  const auto scoped = [] {
    const auto x = layers::Input({6});
    const DeviceScope host("cpu:0");
    return Model(x, layers::Dense(2)(x));
  };
  const std::vector<std::pair<Task, Served>> refused{
      {task(dense({.kernel_constraint = constraints::NonNeg()}), plain, 1), {2, 3, "sync"}},
      {task(scoped, plain, 1), {2, 1, "sync"}},
      {by(optimizers::LossScaleOptimizer(optimizers::SGD())), {2, 1, "sync"}},
      {by(optimizers::SGD({.global_clipnorm = 1.0})), {2, 2, "sync"}},
      {by(optimizers::SGD({.clipnorm = 1.0})), {2, 3, "sync"}},
      {task(dense({}), plain, 2), {1, 1, "async"}}};
  std::set<const Refusal*> reasons;
  for (std::size_t i = 0; i < refused.size(); ++i) {
    const auto& [what, served] = refused[i];
    ASSERT_NE(refusal_of(what, served), nullptr) << i;
    reasons.insert(refusal_of(what, served));
    EXPECT_THROW(train(what, served.strategy()), InvalidArgument) << i;
  }
  EXPECT_EQ(reasons.size(), std::size(kRefusals) - 1);
}

}  // namespace tandem::parity
