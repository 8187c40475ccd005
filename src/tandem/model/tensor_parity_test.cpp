#include "tandem/model/tensor_parity_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "tandem/core/error.h"
#include "tandem/distribution/mesh.h"
#include "tandem/distribution/tensor_parallel.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/network/graph_within.h"
#include "tandem/network/scoped_devices.h"
#include "tandem/network/subclassed.h"
#include "tandem/optimizers/sgd.h"

namespace tandem::parity {
namespace {

distribute::Strategy two_parts() {
  return distribute::TensorParallel({.devices = Devices::parse("cpu*2"), .threads_per_device = 1});
}

distribute::Strategy two_by_two() {
  return distribute::Mesh({.devices = Devices::parse("cpu*4"), .data = 2, .tensor = 2, .threads_per_device = 1});
}

// What is not there with divided layers, all of it.
struct TensorRefusal {
  const char* text;  // a part of the error
  bool (*applies)(const Task& task, const Model& model);
};
const TensorRefusal kTensorRefusals[] = {
    {"must have no layers in DeviceScopes",
     [](const Task&, const Model& model) {
       const auto scopes = scoped_devices(*model.network());
       return std::any_of(scopes.begin(), scopes.end(), [](const auto& scope) { return scope.has_value(); });
     }},
    {"can be split", [](const Task&, const Model& model) { return graph_within(*model.network()) == nullptr; }},
    {"must have a layer that can be split over 2 devices",
     [](const Task&, const Model& model) {
       return two_parts()->plan(*model.network()).find("  by ") == std::string::npos;
     }},
    {"needs each weight whole",
     [](const Task& task, const Model&) { return !task.compile.optimizer.get()->elementwise(); }},
};

const TensorRefusal* tensor_refusal_of(const Task& task) {
  const Model model = task.build();
  for (const auto& refusal : kTensorRefusals) {
    if (refusal.applies(task, model)) return &refusal;
  }
  return nullptr;
}

}  // namespace

void expect_tensor_parity(const Task& task, const Result& one) {
  const auto* refusal = tensor_refusal_of(task);
  for (const auto& strategy : {two_parts(), two_by_two()}) {
    SCOPED_TRACE(strategy->name());
    try {
      const auto got = train(task, strategy);
      EXPECT_EQ(refusal, nullptr) << refusal->text;
      expect_same(got, one);
    } catch (const InvalidArgument& error) {
      if (!refusal) throw;
      EXPECT_NE(std::string(error.what()).find(refusal->text), std::string::npos) << error.what();
    }
  }
}

// Each reason of the list is one.
TEST(TensorParity, WhatIsRefused) {
  struct Own : SubclassedModel {
    layers::Dense dense = track("dense", layers::Dense(2));
    Tensor call(const Tensor& x, const CallContext& context) override { return dense(x, context); }
  };
  const auto task = [](const std::function<Model()>& build, const Handle<Optimizer>& optimizer) {
    return Task{
        build, {.optimizer = optimizer, .loss = "mse"}, normal({8, 6}, 1), normal({8, 2}, 2), {.batch_size = 4}};
  };
  const auto scoped = [] {
    const auto x = layers::Input({6});
    const DeviceScope host("cpu:0");
    return Model(x, layers::Dense(2)(x));
  };
  const auto dense = [](int64_t units) {
    return [units] { return Sequential({layers::Input({6}), layers::Dense(units), layers::Dense(1)}); };
  };
  std::set<const TensorRefusal*> reasons;
  for (const auto& refused : {task(scoped, "sgd"), task([]() -> Model { return make_model<Own>(); }, "sgd"),
                              task(dense(1), "sgd"), task(dense(4), "lamb")}) {
    const auto* reason = tensor_refusal_of(refused);
    ASSERT_NE(reason, nullptr);
    reasons.insert(reason);
    EXPECT_THROW(train(refused, two_parts()), InvalidArgument) << reason->text;
  }
  EXPECT_EQ(reasons.size(), std::size(kTensorRefusals));
}

}  // namespace tandem::parity
