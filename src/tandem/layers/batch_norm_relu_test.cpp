// BatchNormalization::call_with_relu against the two layers it stands for.
#include "tandem/layers/batch_norm_relu.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>

#include <optional>

#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/keras_case_test.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

struct Run {
  Tensor out, x_gradient;
  std::vector<Tensor> weights, gradients;
};

/// One call with gradient `r` of the output on a layer whose weights are drawn the same way each time.
Run run(const BatchNormalizationOptions& options, const Tensor& x, const Tensor& r, bool fused, bool training,
        bool frozen = false) {
  const BatchNormalization layer(options);
  layer->ensure_built({Shape::of(x.sizes().vec())});
  at::manual_seed(7);
  for (const auto& w : layer.weights()) {
    w.variable().value.uniform_(0.5, 1.5);
    if (w.trainable()) w.variable().value.requires_grad_(true);
  }
  if (frozen) layer->set_trainable(false);
  const Tensor input = x.detach().requires_grad_(true);
  CallContext context;
  context.training = training;
  Run result;
  result.out = fused ? layer->call_with_relu(input, context) : at::relu(layer->call(input, context));
  EXPECT_EQ(result.out.grad_fn()->name().find("BatchNormRelu") != std::string::npos, fused && can_fuse_relu(x));
  result.out.backward(r);
  result.x_gradient = input.grad();
  for (const auto& w : layer.weights()) {
    result.weights.push_back(w.value().detach());
    if (w.trainable()) result.gradients.push_back(w.value().grad());
  }
  return result;
}

void expect_equal_runs(const BatchNormalizationOptions& options, const Tensor& x, const Tensor& r, bool training,
                       bool frozen = false) {
  const Run fused = run(options, x, r, true, training, frozen), plain = run(options, x, r, false, training, frozen);
  // LibTorch multiplies before it subtracts the mean; of one row, without deviation, that leaves 1 / sqrt(epsilon)
  // times the rounding.
  const double tolerance = x.numel() == x.size(-1) ? 1e-4 : 1e-5;
  expect_close(fused.out, plain.out, tolerance, "output");
  expect_close(fused.x_gradient, plain.x_gradient, tolerance, "gradient of x");
  ASSERT_EQ(fused.weights.size(), plain.weights.size());
  for (std::size_t i = 0; i < plain.weights.size(); ++i) {
    expect_close(fused.weights[i], plain.weights[i], 1e-5, "weight " + std::to_string(i));
  }
  for (std::size_t i = 0; i < plain.gradients.size(); ++i) {
    // Sums of terms around 1: what they may differ by grows with the number of rows.
    const double terms = std::sqrt(static_cast<double>(std::max<int64_t>(1, x.numel() / x.size(-1))));
    expect_close(fused.gradients[i], plain.gradients[i], 1e-6 * terms + 1e-5, "gradient " + std::to_string(i));
  }
}

TEST(BatchNormRelu, AsTheTwoLayers) {
  at::manual_seed(6);
  for (const auto& sizes :
       std::vector<std::vector<int64_t>>{{9, 3}, {4, 7, 5, 6}, {3, 2, 33}, {1, 5}, {2, 3, 4, 2, 5}, {0, 4, 4, 3}}) {
    SCOPED_TRACE(c10::str(sizes));
    const Tensor x = at::randn(sizes) * 2 + 1, r = at::randn(sizes);
    for (const bool training : {true, false}) {
      expect_equal_runs({}, x, r, training);
      expect_equal_runs({.momentum = 0.5, .epsilon = 1e-5}, x, r, training);
      expect_equal_runs({.center = false}, x, r, training);
      expect_equal_runs({.scale = false}, x, r, training);
      expect_equal_runs({.center = false, .scale = false}, x, r, training);
      expect_equal_runs({}, x, r, training, /*frozen=*/true);
    }
  }
}

TEST(BatchNormRelu, ConstantChannels) {
  const Tensor x = at::randn({50, 4}) * at::tensor({1.F, 0.F, 1.F, 0.F}) + 0.5;
  expect_equal_runs({}, x, at::randn({50, 4}), true);
}

TEST(BatchNormRelu, GradientsOfEveryLayout) {
  at::manual_seed(8);
  const Tensor x = at::randn({4, 6, 5, 8});
  expect_equal_runs({}, x, at::randn({4, 6, 5, 20}).narrow(3, 7, 8), true);  // of a concatenation
  expect_equal_runs({}, x, at::randn({4, 8, 6, 5}).permute({0, 2, 3, 1}), true);
  expect_equal_runs({}, x, at::ones({1}).expand({4, 6, 5, 8}), true);
}

TEST(BatchNormRelu, OtherInputsTakeThePlainPath) {
  at::manual_seed(9);
  const Tensor x = at::randn({4, 8, 6, 5});
  expect_equal_runs({}, x.permute({0, 2, 3, 1}), at::randn({4, 6, 5, 8}), true);
  CallContext context;
  context.training = true;
  BatchNormalization layer({.axis = 1, .name = "bn"});
  layer->ensure_built({{-1, 8, 6, 5}});
  expect_close(layer->call_with_relu(x, context), at::relu(layer->call(x, context)), 1e-5, "axis 1");
  expect_refused([&] { layer->call_with_relu(at::ones({1, 3, 3, 4}), context); }, {"'bn'", "size 8", "(1, 3, 3, 4)"});
}

TEST(BatchNormRelu, SecondDerivatives) {
  // The sum of squared gradients, differentiated, for a layer that is used twice: through the fused function and
  // through LibTorch's own.
  at::manual_seed(10);
  const Tensor data = at::randn({12, 3}), r = at::randn({12, 3});
  for (const bool training : {true, false}) {
    std::vector<Tensor> second;
    for (const bool fused : {true, false}) {
      BatchNormalization layer;
      layer->ensure_built({{-1, 3}});
      const Tensor gamma = layer.weights()[0].variable().value.requires_grad_(true);
      const Tensor x = data.detach().requires_grad_(true);
      CallContext context;
      context.training = training;
      const auto apply = [&](const Tensor& t) {
        return fused ? layer->call_with_relu(t, context) : at::relu(layer->call(t, context));
      };
      const Tensor out = apply(apply(x) * x);  // gamma is behind both inputs of the second call
      const auto first = torch::autograd::grad({(out * r).square().sum()}, {x, gamma}, {}, std::nullopt, true);
      (first[0].square().sum() + first[1].square().sum()).backward();
      second.push_back(x.grad());
      second.push_back(gamma.grad());
    }
    expect_close(second[0], second[2], 1e-4, "of x");
    expect_close(second[1], second[3], 1e-4, "of gamma");
  }
}

}  // namespace
}  // namespace tandem::layers
