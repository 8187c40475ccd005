#include "tandem/network/clone.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/layers/add.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/network/chain.h"
#include "tandem/network/graph.h"
#include "tandem/network/subclassed.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using layers::Dense;
using layers::Input;

// Same architecture: names, classes, shapes; other layers and weights; the same function once it has the same weights.
void expect_clone(Network& original) {
  const auto copy = clone_network(original);
  EXPECT_EQ(copy->name(), original.name());
  const auto a = original.layers(), b = copy->layers();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i]->name(), b[i]->name());
    EXPECT_EQ(a[i]->class_name(), b[i]->class_name());
    EXPECT_EQ(a[i]->trainable(), b[i]->trainable()) << a[i]->name();
    EXPECT_NE(a[i].get(), b[i].get());
  }
  const auto old_weights = original.get_weights(), new_weights = copy->get_weights();
  ASSERT_EQ(old_weights.size(), new_weights.size());
  EXPECT_FALSE(at::equal(old_weights[0], new_weights[0])) << "weights must be drawn anew";
  copy->set_weights(old_weights);
  for (std::size_t i = 0; i < old_weights.size(); ++i)
    EXPECT_TRUE(at::equal(original.get_weights()[i], old_weights[i]));
  std::vector<Tensor> x;
  for (const auto& shape : original.input_shapes()) x.push_back(at::rand(shape.without_batch().with_batch(3).sizes()));
  const auto want = original.call_many(x, {}), got = copy->call_many(x, {});
  for (int64_t i = 0; i < want.size(); ++i) EXPECT_TRUE(at::equal(got[i], want[i]));
}

TEST(Clone, GraphWithSharedLayersAndTwoInputs) {
  const auto a = Input({4}, {.name = "a"}), b = Input({4}, {.name = "b"});
  const Dense shared(5, {.activation = "tanh"});
  const auto sum = layers::Add()({shared(a), shared(b)});
  Graph graph({b, a}, {Dense(2)(sum), sum});
  graph.set_name("pair");
  expect_clone(graph);
  EXPECT_EQ(clone_network(graph)->weights().size(), 4U) << "shared stays shared";
}

TEST(Clone, ChainsWithAndWithoutAnInput) {
  Chain chain;
  chain.add(Input({4}, {.name = "rows"}));
  chain.add(Dense(3));
  chain.add(Dense(2));
  chain.layers()[0]->set_trainable(false);
  expect_clone(chain);
  Chain unbuilt;
  unbuilt.add(Dense(3));
  EXPECT_FALSE(clone_network(unbuilt)->built());
}

TEST(Clone, FrozenPartsStayFrozen) {
  auto inner = std::make_shared<Chain>();
  inner->set_name("inner");
  inner->add(Input({4}));
  inner->add(Dense(3, {.name = "frozen"}));
  inner->add(Dense(3, {.name = "free"}));
  inner->layers()[0]->set_trainable(false);
  inner->set_recipe([inner = inner.get()] { return clone_network(*inner); });
  const auto x = Input({4});
  const Graph graph(x, Dense(1)(LayerHandle(inner)(x)));
  EXPECT_EQ(graph.trainable_weights().size(), 4U);
  const auto copy = clone_network(graph);
  EXPECT_EQ(copy->trainable_weights().size(), 4U);
  EXPECT_EQ(copy->non_trainable_weights().size(), 2U);
}

struct TwoLayers : SubclassedModel {
  explicit TwoLayers(int64_t units) : first(track("first", Dense(units))), second(track("second", Dense(2))) {}
  Tensor call(const Tensor& x, const CallContext&) override { return second(first(x)); }
  Dense first, second;
};

TEST(Clone, SubclassedModelWithItsArguments) {
  const auto model = make_remembered<TwoLayers>("", int64_t{7});
  model->ensure_built({{Shape::kUnknown, 4}});
  expect_clone(*model);
  EXPECT_EQ(clone_network(*model)->count_params(), 4 * 7 + 7 + 7 * 2 + 2);
}

TEST(Clone, NamesALayerThatCannotBeMadeAgain) {
  struct PlainLayer : Layer {
    Tensor call(const Tensor& x, const CallContext&) override { return x; }
  };
  const auto plain = std::make_shared<PlainLayer>();
  plain->set_name("mine");
  Chain chain;
  chain.add(Input({4}));
  chain.add(LayerHandle(plain));
  EXPECT_EQ(testing::message_of([&] { clone_network(chain); }),
            "layer 'mine' (Plain): must be made by make_layer or make_model to be cloned");
}

}  // namespace
}  // namespace tandem
