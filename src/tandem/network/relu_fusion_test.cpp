// A ReLU becomes part of the layer before it where nothing can tell the difference, and only there.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include "tandem/layers/activation.h"
#include "tandem/layers/add.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/layers/max_pooling2d.h"
#include "tandem/network/graph.h"
#include "tandem/testing/closeness.h"

namespace tandem {
namespace {

using layers::Activation;
using layers::Add;
using layers::BatchNormalization;
using layers::Concatenate;
using layers::Conv2D;
using testing::difference;

/// Doubles, and remembers how it was called.
class DoublingLayer : public Layer {
 public:
  Tensor call(const Tensor& x, const CallContext&) override {
    calls += "plain ";
    return x * 2;
  }
  bool can_apply_relu() const override { return true; }
  Tensor call_with_relu(const Tensor& x, const CallContext&) override {
    calls += "relu ";
    return at::relu(x * 2);
  }
  Shape output_shape(const Shape& input) override { return input; }
  std::string calls;
};

/// How a graph from `describe` calls its doubling layer; its outputs are checked against the graph without fusion.
template <class Describe>
std::string calls_of(const Describe& describe) {
  Tensors results[2];
  std::string calls;
  for (const bool on : {false, true}) {
    const auto layer = std::make_shared<DoublingLayer>();
    const auto x = layers::Input({4});
    set_fusion(on);
    Graph graph(x, describe(LayerHandle(layer), x));
    set_fusion(true);
    results[on] = graph.call_many(at::arange(-3, 5).to(at::kFloat).view({2, 4}), {});
    calls = layer->calls;
    EXPECT_TRUE(on || calls.find("relu") == std::string::npos);
  }
  EXPECT_EQ(results[0].size(), results[1].size());
  for (int64_t i = 0; i < results[0].size(); ++i) EXPECT_TRUE(at::equal(results[0][i], results[1][i])) << i;
  return calls;
}

using In = const KerasTensor&;
using Twice = const LayerHandle&;

TEST(ReluFusion, WhereTheReluIsTheOnlyReader) {
  EXPECT_EQ(calls_of([](Twice twice, In x) { return Activation("relu")(twice(x)); }), "relu ");
  EXPECT_EQ(calls_of([](Twice twice, In x) { return Add()({Activation("relu")(twice(x)), x}); }), "relu ");
  EXPECT_EQ(calls_of([](Twice twice, In x) { return Activation("tanh")(Activation("relu")(twice(x))); }), "relu ");
  const Activation shared("relu");
  EXPECT_EQ(calls_of([&](Twice twice, In x) { return shared(twice(shared(x))); }), "relu ");
}

TEST(ReluFusion, NotWhereTheValueIsNeeded) {
  EXPECT_EQ(calls_of([](Twice twice, In x) {
              const auto t = twice(x);
              return KerasTensors{Activation("relu")(t), t};
            }),
            "plain ");
  EXPECT_EQ(calls_of([](Twice twice, In x) {
              const auto t = twice(x);
              return Add()({Activation("relu")(t), t});
            }),
            "plain ");
  EXPECT_EQ(calls_of([](Twice twice, In x) {
              const auto t = twice(x);
              return Add()({Activation("relu")(t), Activation("relu")(t)});
            }),
            "plain ");
}

TEST(ReluFusion, NotWithOtherActivations) {
  EXPECT_EQ(calls_of([](Twice twice, In x) { return Activation("relu6")(twice(x)); }), "plain ");
  EXPECT_EQ(calls_of([](Twice twice, In x) { return Activation([](const Tensor& t) { return -t; })(twice(x)); }),
            "plain ");
  EXPECT_EQ(calls_of([](Twice twice, In x) { return twice(Activation("relu")(x)); }), "plain ");
}

TEST(ReluFusion, EachUseOfASharedLayerOnItsOwn) {
  EXPECT_EQ(calls_of([](Twice twice, In x) { return Activation("tanh")(twice(Activation("relu")(twice(x)))); }),
            "relu plain ");
}

/// Three steps of gradient descent on modules as MiniGoogLeNet stacks them; all that it leaves behind.
Tensors train(bool fused) {
  RandomStream random(5);
  const auto convolution = [](KerasTensor x, int64_t filters, int64_t size, int64_t stride = 1,
                              const char* padding = "same") {
    x = Conv2D(filters, {size, size}, {.strides = stride, .padding = padding})(x);
    return Activation("relu")(BatchNormalization()(x));
  };
  const auto inception = [&](const KerasTensor& x, int64_t narrow, int64_t wide) {
    return Concatenate()({convolution(x, narrow, 1), convolution(x, wide, 3)});
  };
  const auto input = layers::Input({16, 16, 3});
  auto x = inception(convolution(input, 24, 3), 8, 12);
  x = Concatenate()({convolution(x, 20, 3, 2, "valid"), layers::MaxPooling2D(3, {.strides = 2})(x)});
  x = layers::Dropout(0.5)(inception(x, 16, 9));
  set_fusion(fused);
  Graph graph(input, x);
  set_fusion(true);

  Tensors left;
  uint64_t key = 0;
  for (const auto& w : graph.trainable_weights()) {
    if (w.name() == "kernel") w.assign(random.fold(++key).normal(w.shape()) * 0.1);
    w.variable().value.requires_grad_(true);
  }
  for (uint64_t step = 0; step < 3; ++step) {
    CallContext context;
    context.training = true;
    context.random = RandomStream(17).fold(step);
    const Tensor out = graph.call_many(random.fold(100 + step).normal({6, 16, 16, 3}), context).front();
    (out * random.fold(200 + step).normal(Shape::of(out.sizes().vec()))).mean().backward();
    left.push_back(out.detach());
    for (const auto& w : graph.trainable_weights()) {
      Tensor& value = w.variable().value;
      left.push_back(value.grad().clone());
      c10::NoGradGuard no_grad;
      value.sub_(value.grad(), 0.1);
      value.mutable_grad().reset();
    }
  }
  for (const auto& w : graph.get_weights()) left.push_back(w);
  return left;
}

TEST(ReluFusion, TrainingIsTheSame) {
  const Tensors fused = train(true), plain = train(false);
  ASSERT_EQ(fused.size(), plain.size());
  for (int64_t i = 0; i < plain.size(); ++i) EXPECT_EQ(difference(fused[i], plain[i], 1e-5), "") << i;
}

}  // namespace
}  // namespace tandem
