// Against LibTorch's own batch norm and ReLU in float64.
#include "tandem/kernels/batch_norm_relu.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <tuple>

#include "tandem/core/error.h"
#include "tandem/kernels/channel_statistics.h"

namespace tandem::kernels {
namespace {

constexpr double kEpsilon = 1e-3;

struct Example {
  at::Tensor x, gradient;
  ChannelNorm norm;

  static Example of(const at::Tensor& x) {
    const int64_t channels = x.size(-1);
    const auto [mean, variance] = channel_statistics(x);
    return {x,
            at::randn(x.sizes()),
            {mean, at::rsqrt(variance + kEpsilon), at::randn({channels}) + 1, at::randn({channels}) * 0.5}};
  }
};

at::Tensor wide(const at::Tensor& t) { return t.to(at::kDouble); }

/// Largest |got - want| relative to the largest of `size`.
double error(const at::Tensor& got, const at::Tensor& want, const at::Tensor& size) {
  return ((wide(got) - want).abs().max() / size.abs().max().clamp_min(1e-6)).item<double>();
}
double error(const at::Tensor& got, const at::Tensor& want) { return error(got, want, want); }

void expect_as_libtorch(const Example& e, bool from_batch) {
  const at::Tensor x = wide(e.x.reshape({-1, e.x.size(-1)})), g = wide(e.gradient.reshape(x.sizes()));
  const at::Tensor gamma = wide(e.norm.gamma), beta = wide(e.norm.beta), mean = wide(e.norm.mean);
  const at::Tensor variance = wide(e.norm.inverse_deviation).pow(-2) - kEpsilon;
  const auto [y, batch_mean, batch_deviation] =
      at::native_batch_norm(x, gamma, beta, mean, variance, from_batch, 0, kEpsilon);
  const at::Tensor out = batch_norm_relu(e.x, e.norm);
  EXPECT_TRUE(out.is_contiguous());
  EXPECT_EQ(out.sizes(), e.x.sizes());
  EXPECT_LT(error(out.view(x.sizes()), at::relu(y)), 1e-5) << e.x.sizes();

  // Where float32 and float64 may differ about the sign, the comparison would tell nothing: float32's is taken.
  const at::Tensor passed = at::where(out.view(x.sizes()) > 0, g, at::zeros_like(g));
  const auto [dx, dgamma, dbeta] = at::native_batch_norm_backward(
      passed, x, gamma, mean, variance, batch_mean, batch_deviation, from_batch, kEpsilon, {true, true, true});
  const auto got = batch_norm_relu_backward(e.gradient, e.x, e.norm, from_batch);
  EXPECT_EQ(got.x.sizes(), e.x.sizes());
  // With few rows the parts of dx cancel: their size counts, not what is left of it.
  EXPECT_LT(error(got.x.view(x.sizes()), dx, passed * gamma * wide(e.norm.inverse_deviation)), 1e-5) << e.x.sizes();
  EXPECT_LT(error(got.gamma, dgamma), 1e-5) << e.x.sizes();
  EXPECT_LT(error(got.beta, dbeta), 1e-5) << e.x.sizes();
}

TEST(BatchNormReluKernel, AsLibTorch) {
  at::manual_seed(3);
  for (const auto& sizes : std::vector<std::vector<int64_t>>{
           {2, 1}, {5, 3}, {7, 17}, {4, 7, 5, 6}, {1031, 96}, {20000, 16}, {9, 5000}, {17, 129, 31}}) {
    const Example e = Example::of(at::randn(sizes) * 3 + 1);
    expect_as_libtorch(e, true);
    expect_as_libtorch(e, false);
  }
}

TEST(BatchNormReluKernel, SlicesOfWiderRows) {
  at::manual_seed(4);
  Example e = Example::of(at::randn({3, 50, 40}).narrow(2, 5, 21));
  e.gradient = at::randn({3, 50, 64}).narrow(2, 1, 21);
  expect_as_libtorch(e, true);
}

TEST(BatchNormReluKernel, WithoutGammaAndBeta) {
  at::manual_seed(5);
  Example e = Example::of(at::randn({40, 6}));
  Example plain = e;
  e.norm.gamma = at::ones({6});
  e.norm.beta = at::zeros({6});
  plain.norm.gamma = plain.norm.beta = at::Tensor();
  EXPECT_TRUE(at::equal(batch_norm_relu(plain.x, plain.norm), batch_norm_relu(e.x, e.norm)));
  const auto got = batch_norm_relu_backward(plain.gradient, plain.x, plain.norm, true);
  const auto want = batch_norm_relu_backward(e.gradient, e.x, e.norm, true);
  EXPECT_TRUE(at::equal(got.x, want.x));
  EXPECT_TRUE(at::equal(got.gamma, want.gamma));
}

TEST(BatchNormReluKernel, AConstantChannelGivesExactlyBeta) {
  Example e = Example::of(at::full({100, 2}, 0.1F));
  e.norm.mean = at::full({2}, 0.1F);
  e.norm.beta = at::tensor({0.F, 0.25F});
  EXPECT_TRUE(at::equal(batch_norm_relu(e.x, e.norm), e.norm.beta.expand({100, 2})));
  const auto got = batch_norm_relu_backward(at::ones({100, 2}), e.x, e.norm, true);
  EXPECT_TRUE(at::equal(got.beta, at::tensor({0.F, 100.F})));  // an output of 0 passes nothing
}

TEST(BatchNormReluKernel, NaNStaysNaN) {
  Example e = Example::of(at::randn({20, 3}));
  e.x[4][1] = NAN;
  EXPECT_EQ(batch_norm_relu(e.x, e.norm).isnan().sum().item<int64_t>(), 1);
  EXPECT_TRUE(batch_norm_relu_backward(e.gradient, e.x, e.norm, true).gamma[1].isnan().item<bool>());
}

TEST(BatchNormReluKernel, EqualToTheBitForAnyNumberOfThreads) {
  const int threads = at::get_num_threads();
  const Example e = Example::of(at::randn({10007, 19}));
  at::set_num_threads(1);
  const auto one = batch_norm_relu_backward(e.gradient, e.x, e.norm, true);
  at::set_num_threads(3);
  const auto three = batch_norm_relu_backward(e.gradient, e.x, e.norm, true);
  at::set_num_threads(threads);
  EXPECT_TRUE(at::equal(one.x, three.x));
  EXPECT_TRUE(at::equal(one.gamma, three.gamma));
  EXPECT_TRUE(at::equal(one.beta, three.beta));
}

TEST(BatchNormReluKernel, RefusesWhatDoesNotFit) {
  const Example e = Example::of(at::randn({20, 3}));
  auto wrong = e.norm;
  wrong.gamma = at::ones({4});
  EXPECT_THROW(batch_norm_relu(e.x, wrong), InvalidArgument);
  wrong = e.norm;
  wrong.mean = at::Tensor();
  EXPECT_THROW(batch_norm_relu(e.x, wrong), InvalidArgument);
  EXPECT_THROW(batch_norm_relu_backward(at::randn({10, 3}), e.x, e.norm, true), InvalidArgument);
}

}  // namespace
}  // namespace tandem::kernels
