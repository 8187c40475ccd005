// A graph as the ranks of a tensor group compute it, against the graph itself.
#include "tandem/sharding/local_network.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/layers/layer_normalization.h"
#include "tandem/layers/relu.h"
#include "tandem/sharding/tensor_group.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::sharding {
namespace {

using layers::Dense;
using layers::Dropout;
using layers::Input;

std::shared_ptr<Graph> two_products() {
  const auto x = Input({6});
  const auto y = Dense(10, {.activation = "relu", .name = "up"})(x);
  return std::make_shared<Graph>(x, Dense(4, {.name = "down"})(Dropout(0.5)(y)));
}

const LayerPlan& plan_of_layer(const LocalNetwork& local, const std::string& name) {
  for (const auto& plan : local.plan) {
    if (plan.name == name) return plan;
  }
  throw InternalError("no layer " + name);
}

void load_parts(const LocalNetwork& local, const Place& place) {
  const c10::NoGradGuard no_grad;
  for (const auto& w : local.weights)
    w.own.variable().value.copy_(part_of(w.whole.variable().value, w.axis, w.division, place));
}

TEST(LocalNetwork, ComputesWhatTheGraphDoesDropoutIncluded) {
  const auto graph = two_products();
  const Tensor x = RandomStream(3).normal({5, 6});
  const CallContext training{.training = true, .random = RandomStream(8), .first_row = 2};
  const Tensor want = graph->call_many({x}, training)[0];
  testing::run_ranks(4, [&](comm::Communicator& communicator) {
    const Place place{communicator.rank(), 4};
    const auto local = make_local_network(*graph, place);
    load_parts(local, place);
    const TensorGroupScope scope(communicator);
    EXPECT_EQ(testing::difference(local.graph->call_many({x}, training)[0], want, 1e-5), "");
  });
}

TEST(LocalNetwork, TwoLayersShareOneExchange) {
  const auto local = make_local_network(*two_products(), {0, 2});
  EXPECT_EQ(plan_of_layer(local, "up").how, "by units");
  EXPECT_TRUE(plan_of_layer(local, "up").collectives.empty());  // the input has no gradient
  EXPECT_EQ(plan_of_layer(local, "down").how, "by inputs");
  EXPECT_EQ(plan_of_layer(local, "down").collectives, (std::vector<std::string>{"sum"}));
  EXPECT_TRUE(local.splits());
}

TEST(LocalNetwork, LayersThatStayWholeAreTheGraphsOwn) {
  const auto x = Input({6});
  const layers::LayerNormalization norm;
  const Graph graph(x, Dense(1)(norm(x)));
  const auto local = make_local_network(graph, {1, 2});
  EXPECT_FALSE(local.splits());
  EXPECT_TRUE(local.weights.empty());
  EXPECT_EQ(local.graph->weights(), graph.weights());
}

// What a class is named does not say what it computes.
TEST(LocalNetwork, AProgramsOwnClassStaysWholeWhateverItsName) {
  struct ReLU : Layer {
    Shape output_shape(const Shape& input) override { return input; }
    Tensor call(const Tensor& y, const CallContext&) override { return y - y.mean(-1, true); }
  };
  const auto x = Input({6});
  const auto y = make_layer<ReLU>()(Dense(10)(x));
  const auto local = make_local_network(Graph(x, Dense(4)(y)), {0, 2});
  EXPECT_EQ(local.plan[1].class_name, "ReLU");
  EXPECT_EQ(local.plan[1].why, "is a class of the program's own");
  EXPECT_EQ(local.plan[1].collectives, (std::vector<std::string>{"gather"}));
}

TEST(LocalNetwork, ALayerThatIsCalledWithSeveralShapesStaysWhole) {
  const layers::ReLU relu;
  const auto x = Input({6});
  const auto a = relu(Dense(8)(x)), b = relu(Dense(12)(x));
  const auto graph = std::make_shared<Graph>(x, Dense(4)(layers::Concatenate()({a, b})));
  const Tensor given = RandomStream(3).normal({5, 6});
  const Tensor want = graph->call_many({given}, {})[0];
  testing::run_ranks(2, [&](comm::Communicator& communicator) {
    const Place place{communicator.rank(), 2};
    const auto local = make_local_network(*graph, place);
    EXPECT_EQ(plan_of_layer(local, relu->name()).why, "is called with several shapes");
    load_parts(local, place);
    const TensorGroupScope scope(communicator);
    EXPECT_EQ(testing::difference(local.graph->call_many({given}, {})[0], want, 1e-5), "");
  });
}

// A head that reads another layer's weight would go on from a copy of its own.
TEST(LocalNetwork, LayersThatShareWeightsStayWhole) {
  struct Head : Layer {
    explicit Head(const Dense& other) : other(track("other", other)) {}
    Shape output_shape(const Shape& input) override { return {input[0], 6}; }
    Tensor call(const Tensor& y, const CallContext&) override { return at::matmul(y, other->weights()[0].value().t()); }
    Dense other;
  };
  const auto x = Input({6});
  const Dense tied(8);
  const Graph graph(x, make_layer<Head>(tied)(Dense(8, {.name = "between"})(tied(x))));
  const auto local = make_local_network(graph, {1, 2});
  EXPECT_EQ(local.plan[0].why, "shares weights with '" + local.plan[2].name + "'");
  EXPECT_EQ(local.plan[2].why, "shares weights with '" + local.plan[0].name + "'");
  EXPECT_EQ(plan_of_layer(local, "between").how, "by units");
}

// U28: replicas draw other masks, the ranks of a tensor group each their columns of the same one.
TEST(LocalNetwork, MasksAgreeWithinAGroupAndDifferBetweenReplicas) {
  const auto x = Input({4});
  const auto graph =
      std::make_shared<Graph>(x, Dropout(0.5)(Dense(1000, {.use_bias = false, .kernel_initializer = "ones"})(x)));
  const auto masks = [&](int64_t first_row, int64_t key) {
    std::map<int64_t, Tensor> by_rank;
    std::mutex mutex;
    testing::run_ranks(2, [&](comm::Communicator& communicator) {
      const Place place{communicator.rank(), 2};
      const auto local = make_local_network(*graph, place);
      load_parts(local, place);
      const TensorGroupScope scope(communicator);
      const CallContext context{
          .training = true, .random = RandomStream(static_cast<uint64_t>(key)), .first_row = first_row};
      const Tensor made = local.graph->call_many({at::ones({1, 4})}, context)[0].detach();
      const std::lock_guard lock(mutex);
      by_rank[place.rank] = made;
    });
    EXPECT_TRUE(at::equal(by_rank[0], by_rank[1]));
    return by_rank[0];
  };
  const Tensor first = masks(0, 1);
  EXPECT_TRUE(at::equal(masks(0, 1), first));
  EXPECT_FALSE(at::equal(masks(1, 1), first));  // the row of another replica
  EXPECT_FALSE(at::equal(masks(0, 2), first));
  const double kept = (first > 0).sum().item<double>();
  EXPECT_GT(kept, 400);
  EXPECT_LT(kept, 600);
}

}  // namespace
}  // namespace tandem::sharding
