#include "tandem/layers/activation.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/activations.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

TEST(Activation, EveryFunctionMatchesKeras) {
  // A case for each name, and softmax over the last of four axes.
  EXPECT_EQ(check_cases("activation_"), static_cast<int>(activations::catalog().names().size()) + 1);
}

TEST(Activation, LeavesItsInputAsItIs) {
  const Tensor x = at::randn({4, 6});
  const Tensor before = x.clone();
  for (const auto& name : activations::catalog().names()) Activation{name}(x);
  EXPECT_TRUE(at::equal(x, before));
}

TEST(Activation, ShapesOfAGraph) {
  EXPECT_EQ(Activation("relu")(Input({4, 6})).shape(), (Shape{-1, 4, 6}));
  EXPECT_EQ(Activation("glu")(Input({4, 6})).shape(), (Shape{-1, 4, 3}));
  EXPECT_EQ(Activation([](const Tensor& x) { return x.sum(-1); })(Input({4, 6})).shape(), (Shape{-1, 4}));
}

TEST(Activation, SoftmaxAndSigmoidAreRemembered) {
  LogitsRecord record;
  CallContext context;
  context.logits = &record;
  const Tensor x = at::randn({2, 3});
  EXPECT_TRUE(record.find(Activation("softmax")(x, context)).is_same(x));
  EXPECT_TRUE(record.find(Activation("sigmoid")(x, context)).is_same(x));
  EXPECT_FALSE(record.find(Activation("relu")(x, context)).defined());
}

TEST(Activation, UnknownNamesProposeTheNearest) {
  expect_refused([] { Activation("sofmax"); }, {"activation", "sofmax", "softmax"});
  expect_refused([] { Activation("glu")(at::ones({2, 3})); }, {"glu", "even", "(2, 3)"});
}

}  // namespace
}  // namespace tandem::layers
