#include "tandem/layers/activation.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "tandem/layers/activations.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/testing/npy.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

TEST(Activation, EveryFunctionMatchesKeras) {
  // A case for each name, and softmax over the last of four axes.
  EXPECT_EQ(check_cases("activation_"), static_cast<int>(activations::catalog().names().size()) + 1);
}

// Each case was made by calling the function with the arguments in case.json.
TEST(Activation, ArgumentsMatchKeras) {
  namespace a = activations;
  const std::map<std::string, Tensor (*)(const Tensor&)> functions = {
      {"relu_slope", [](const Tensor& x) { return a::relu(x, 0.1); }},
      {"relu_max", [](const Tensor& x) { return a::relu(x, 0, 1.5); }},
      {"relu_slope_max", [](const Tensor& x) { return a::relu(x, 0.2, 2.0); }},
      {"relu_threshold", [](const Tensor& x) { return a::relu(x, 0, {}, 0.7); }},
      {"relu_all", [](const Tensor& x) { return a::relu(x, 0.3, 2.5, 0.5); }},
      {"relu_below", [](const Tensor& x) { return a::relu(x, 0, 2.0, -1.0); }},
      {"leaky_relu", [](const Tensor& x) { return a::leaky_relu(x, 0.05); }},
      {"elu", [](const Tensor& x) { return a::elu(x, 0.6); }},
      {"celu", [](const Tensor& x) { return a::celu(x, 0.6); }},
      {"gelu_approximate", [](const Tensor& x) { return a::gelu(x, true); }},
      {"glu_axis", [](const Tensor& x) { return a::glu(x, 1); }},
      {"soft_shrink", [](const Tensor& x) { return a::soft_shrink(x, 1.0); }},
      {"hard_shrink", [](const Tensor& x) { return a::hard_shrink(x, 1.0); }},
      {"threshold", [](const Tensor& x) { return a::threshold(x, 0.3, -2.0); }},
      {"squareplus", [](const Tensor& x) { return a::squareplus(x, 1.0); }},
      {"softmax_axis", [](const Tensor& x) { return a::softmax(x, 1); }},
      {"log_softmax_axis", [](const Tensor& x) { return a::log_softmax(x, 1); }},
      {"sparsemax_axis", [](const Tensor& x) { return a::sparsemax(x, 1); }},
  };
  std::size_t cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fixture("keras/activations"))) {
    const std::string name = entry.path().filename(), folder = "keras/activations/" + name + "/";
    SCOPED_TRACE(name);
    const auto load = [&](const char* file) { return load_npy(fixture(folder + file + ".npy")); };
    const Tensor x = load("x").requires_grad_(true);
    const Tensor out = functions.at(name)(x);
    expect_close(out, load("output"), 1e-5, "output");
    EXPECT_TRUE(out.is_contiguous());
    (out * load("r")).sum().backward();
    expect_close(x.grad(), load("grad_x"), 1e-4, "gradient");
    ++cases;
  }
  EXPECT_EQ(cases, functions.size());
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
  expect_refused([] { Activation("glu")(at::ones({2, 3})); }, {"glu", "axis -1", "even", "(2, 3)"});
}

}  // namespace
}  // namespace tandem::layers
