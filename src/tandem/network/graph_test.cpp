// Functional graphs: what is computed, and in which order Keras lists layers. The orders were read from keras 3.15.1
// for the same graphs.
#include "tandem/network/graph.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/layers/add.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/network/chain.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using layers::Add;
using layers::Concatenate;
using testing::message_of;
using Names = std::vector<std::string>;

layers::Dense dense(const std::string& name, int64_t units = 4) {
  return layers::Dense(units, {.use_bias = false, .name = name});
}
KerasTensor input(const std::string& name) { return layers::Input({4}, {.name = name}); }
Add add() { return Add({.name = "add"}); }

Names layer_names(const Network& network) {
  Names names;
  for (const auto& layer : network.layers()) names.push_back(layer->name());
  return names;
}

TEST(GraphOrder, LayersByDistanceFromTheOutputs) {
  auto x = input("in");
  const auto a = dense("a3")(dense("a2")(dense("a1")(x)));
  EXPECT_EQ(layer_names(Graph(x, add()({dense("b1")(x), a}))), (Names{"in", "a1", "a2", "b1", "a3", "add"}));
  x = input("in");
  const auto b = dense("b1")(x);
  EXPECT_EQ(layer_names(Graph(x, add()({dense("a2")(dense("a1")(x)), b}))), (Names{"in", "a1", "a2", "b1", "add"}));
  x = input("in");
  const auto p = dense("p")(x), q = dense("q")(p), r = dense("r2")(dense("r")(p));
  EXPECT_EQ(layer_names(Graph(x, dense("e")(Concatenate({.name = "j"})({q, r, p})))),
            (Names{"in", "p", "r", "q", "r2", "j", "e"}));
}

TEST(GraphOrder, SharedLayerCountsAtItsFarthestUse) {
  const auto x = input("in");
  const auto s = dense("s");
  const auto h = s(x);
  const Graph graph(x, add()({s(dense("h")(h)), h}));
  EXPECT_EQ(layer_names(graph), (Names{"in", "s", "h", "add"}));
  EXPECT_EQ(graph.weights().size(), 2U) << "a shared layer brings its weights once";
  EXPECT_EQ(graph.count_params(), 32);
}

TEST(GraphOrder, SeveralInputsAndOutputs) {
  auto x = input("in");
  auto h = dense("h")(x);
  const auto o1 = dense("o1")(h), o2 = dense("o2")(dense("t")(h));
  EXPECT_EQ(layer_names(Graph(x, {o1, o2})), (Names{"in", "h", "t", "o1", "o2"}));
  x = input("in");
  h = dense("h")(x);
  const Graph inner_output(x, {dense("o")(h), h});
  EXPECT_EQ(layer_names(inner_output), (Names{"in", "h", "o"}));
  EXPECT_EQ(inner_output.output_names(), (Names{"o", "h"}));
  const auto a = input("a"), b = input("b"), c = input("c");
  EXPECT_EQ(layer_names(Graph({c, a, b}, dense("d")(add()({b, a})))),
            (Names{"b", "a", "add", "c", "d"}));  // c: no output needs it
}

TEST(GraphOrder, NestedNetworksAreOneLayer) {
  const auto inner = std::make_shared<Chain>();
  inner->set_name("inner");
  inner->add(input("i"));
  inner->add(dense("n1"));
  inner->add(dense("n2"));
  const LayerHandle nested(inner);
  const auto x = input("in");
  const Graph graph(x, add()({nested(nested(x)), dense("z")(x)}));
  EXPECT_EQ(layer_names(graph), (Names{"in", "inner", "z", "add"}));
  EXPECT_EQ(graph.weights().size(), 3U);

  const auto s = dense("s");  // outside and within
  const auto i = input("i");
  const LayerHandle within(std::make_shared<Graph>(i, dense("k")(s(i))));
  EXPECT_EQ(Graph(x, within(s(x))).count_params(), 32);
}

TEST(Graph, ComputesEachBranchOnce) {
  struct CountingLayer : Layer {
    Shape output_shape(const Shape& shape) override { return shape; }
    Tensor call(const Tensor& x, const CallContext&) override {
      ++calls;
      return x + 1;
    }
    int calls = 0;
  };
  const auto counting = make_layer<CountingLayer>();
  const auto x = input("in");
  const auto once = counting(x);
  Graph graph(x, {add()({once, x}), once, counting(once), x});
  const Tensor data = at::arange(8, at::kFloat).view({2, 4});
  const auto outputs = graph.call_many(data, {});
  EXPECT_EQ(counting->calls, 2);
  EXPECT_TRUE(at::equal(outputs[0], 2 * data + 1));
  EXPECT_TRUE(at::equal(outputs[1], data + 1));
  EXPECT_TRUE(at::equal(outputs[2], data + 2));
  EXPECT_TRUE(at::equal(outputs[3], data));
}

TEST(Graph, SharedLayerGetsTheGradientsOfAllItsUses) {
  const auto a = input("a"), b = input("b");
  const auto s = dense("s", 1);
  Graph graph({a, b}, add()({s(a), s(b)}));
  graph.weights()[0].variable().value.requires_grad_(true);
  const Tensor x = at::rand({3, 4}), y = at::rand({3, 4});
  graph.call_many({x, y}, {}).front().sum().backward();
  EXPECT_EQ(testing::difference(graph.weights()[0].variable().value.grad().squeeze(1), x.sum(0) + y.sum(0), 1e-5), "");
}

TEST(Graph, WholeNumbersAndDoublesBecomeFloats) {  // as Keras's inputs, which are float32
  const auto x = input("in");
  Graph graph(x, dense("d")(x));
  const Tensor data = at::arange(8).view({2, 4});
  const Tensor want = graph.call_many(data.to(at::kFloat), {}).front();
  for (const auto type : {at::kByte, at::kInt, at::kLong, at::kDouble}) {
    const Tensor got = graph.call_many(data.to(type), {}).front();
    EXPECT_EQ(got.scalar_type(), at::kFloat);
    EXPECT_TRUE(at::equal(got, want)) << type;
  }
}

TEST(Graph, OutputShapesFollowTheInputs) {
  const auto a = input("a"), b = input("b");
  Graph graph({a, b}, {Concatenate()({a, dense("d", 3)(b)}), b});
  const auto shapes = graph.output_shapes({{Shape::kUnknown, 4}, {Shape::kUnknown, 4}});
  EXPECT_EQ(shapes, (Shapes{{Shape::kUnknown, 7}, {Shape::kUnknown, 4}}));
  EXPECT_EQ(graph.input_shapes(), (Shapes{{Shape::kUnknown, 4}, {Shape::kUnknown, 4}}));
}

TEST(GraphErrors, NameWhatDoesNotConnect) {
  const auto a = input("a"), b = input("b");
  EXPECT_EQ(message_of([&] {
              Graph(a, add()({dense("d")(a), b}));
            }),
            "model: graph is disconnected, input 'b' of shape (None, 4) is needed for the outputs and must be among "
            "the model's inputs");
  EXPECT_EQ(message_of([&] { Graph(dense("h")(a), dense("d")(a)); }),
            "model: inputs must come from Input, got the output of layer 'h'");
  EXPECT_EQ(message_of([&] { Graph(a, KerasTensors()); }), "model: must have at least one input and one output");
  EXPECT_EQ(message_of([&] { Graph(a, dense("twin")(dense("twin")(a))); }),
            "model: the name 'twin' is used by more than one layer; names must be unique");
}

TEST(GraphErrors, NameWrongInputs) {
  const auto a = input("a"), b = input("b");
  Graph graph({a, b}, add()({a, b}));
  graph.set_name("pair");
  EXPECT_EQ(message_of([&] { graph.call_many(at::ones({2, 4}), {}); }), "model 'pair': must get 2 inputs, got 1");
  EXPECT_EQ(message_of([&] {
              graph.call_many({at::ones({2, 4}), at::ones({2, 5})}, {});
            }),
            "model 'pair': input 'b' must have shape (None, 4), got (2, 5)");
  EXPECT_EQ(message_of([&] {
              graph.output_shapes({{2, 4}, {2, 4, 1}});
            }),
            "model 'pair': input 'b' must have shape (None, 4), got (2, 4, 1)");
}

}  // namespace
}  // namespace tandem
