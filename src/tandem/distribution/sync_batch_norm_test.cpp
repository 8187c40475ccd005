// Batch norm over the rows of all ranks, which are threads here: the numbers of LibTorch's batch norm on the whole
// batch.
#include "tandem/distribution/sync_batch_norm.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tandem/core/random.h"
#include "tandem/distribution/ranks_test.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::distribute {
namespace {

using testing::difference;
using testing::message_of;
using testing::run_ranks;
using torch::nn::BatchNormOptions;

// What a batch norm computed and became.
struct Results {
  Tensor y, dx, weight_gradient, bias_gradient, mean, variance, tracked;
};

template <class Norm>
Results results_of(Norm& norm, const Tensor& input, const Tensor& factors) {
  const Tensor x = input.detach().clone().requires_grad_();
  const Tensor y = norm->forward(x);
  (y * factors).sum().backward();
  return {y.detach(),
          x.grad(),
          norm->weight.defined() ? norm->weight.grad() : Tensor(),
          norm->weight.defined() ? norm->bias.grad() : Tensor(),
          norm->running_mean,
          norm->running_var,
          norm->num_batches_tracked};
}

template <class Norm>
void set_affine(Norm& norm) {
  if (!norm->weight.defined()) return;
  const c10::NoGradGuard no_grad;
  norm->weight.copy_(RandomStream(5).normal({norm->weight.size(0)}));
  norm->bias.copy_(RandomStream(6).normal({norm->weight.size(0)}));
}

// `counts`: rows of each rank; `shape`: of a row. Two steps, so that running statistics are of both.
template <class Norm>
void expect_as_the_whole_batch(const std::vector<int64_t>& counts, std::vector<int64_t> shape,
                               const BatchNormOptions& options, double offset = 0) {
  int64_t rows = 0;
  for (auto n : counts) rows += n;
  shape.insert(shape.begin(), rows);
  const auto batch = [&](uint64_t step) { return RandomStream(step).normal(Shape::of(shape)) + offset; };
  const Tensor factors = RandomStream(9).normal(Shape::of(shape));
  Norm whole(options);
  set_affine(whole);
  results_of(whole, batch(1), factors);
  whole->zero_grad();
  const auto want = results_of(whole, batch(2), factors);

  run_ranks(static_cast<int64_t>(counts.size()), [&](comm::Communicator& ranks) {
    const auto group = group_of(ranks);
    int64_t first = 0;
    for (int64_t r = 0; r < group.rank(); ++r) first += counts[static_cast<std::size_t>(r)];
    const int64_t own = counts[static_cast<std::size_t>(group.rank())];
    SyncBatchNorm norm(options, group);
    set_affine(norm);
    const auto part = [&](const Tensor& all) { return all.narrow(0, first, own); };
    results_of(norm, part(batch(1)), part(factors));
    norm->zero_grad();
    Results got = results_of(norm, part(batch(2)), part(factors));
    EXPECT_EQ(difference(got.y, part(want.y), 2e-5), "");
    EXPECT_EQ(difference(got.dx, part(want.dx), 2e-5), "");
    if (want.weight_gradient.defined()) {
      group.all_reduce(got.weight_gradient);
      group.all_reduce(got.bias_gradient);
      EXPECT_EQ(difference(got.weight_gradient, want.weight_gradient, 2e-5), "");
      EXPECT_EQ(difference(got.bias_gradient, want.bias_gradient, 2e-5), "");
    }
    if (!want.mean.defined()) return;
    EXPECT_EQ(difference(got.mean, want.mean, 1e-6), "");
    EXPECT_EQ(difference(got.variance, want.variance, 1e-5), "");
    EXPECT_EQ(got.tracked.item<int64_t>(), 2);
  });
}

TEST(SyncBatchNorm, AsTheWholeBatch) {
  for (const auto& counts : std::vector<std::vector<int64_t>>{{6}, {3, 3}, {5, 1}, {4, 0}, {2, 1, 0, 3}}) {
    expect_as_the_whole_batch<torch::nn::BatchNorm1d>(counts, {3}, BatchNormOptions(3));
    expect_as_the_whole_batch<torch::nn::BatchNorm1d>(counts, {3, 5}, BatchNormOptions(3).momentum(0.3).eps(1e-3));
    expect_as_the_whole_batch<torch::nn::BatchNorm2d>(counts, {2, 3, 4}, BatchNormOptions(2).momentum(std::nullopt));
    expect_as_the_whole_batch<torch::nn::BatchNorm3d>(counts, {2, 2, 3, 2}, BatchNormOptions(2).affine(false));
    expect_as_the_whole_batch<torch::nn::BatchNorm2d>(counts, {2, 3, 4},
                                                      BatchNormOptions(2).track_running_stats(false));
  }
}

TEST(SyncBatchNorm, KeepsItsDigitsWhereMeansAreLarge) {  // a variance from squares alone would be noise in float32
  expect_as_the_whole_batch<torch::nn::BatchNorm2d>({3, 2}, {2, 3, 4}, BatchNormOptions(2), 300);
}

TEST(SyncBatchNorm, UnevenRowsCountByRows) {  // U66: rows [0, 0, 0] and [4]
  run_ranks(2, [](comm::Communicator& ranks) {
    const auto group = group_of(ranks);
    SyncBatchNorm norm(BatchNormOptions(1).momentum(1), group);
    const Tensor y = norm->forward(group.rank() == 0 ? at::zeros({3, 1}) : at::full({1, 1}, 4.F));
    EXPECT_FLOAT_EQ(norm->running_mean.item<float>(), 1);
    EXPECT_FLOAT_EQ(norm->running_var.item<float>(), 4);  // unbiased, as PyTorch's: 12 / 3; the batch's own is 12 / 4
    EXPECT_NEAR(y[0].item<float>(), (group.rank() == 0 ? -1 : 3) / std::sqrt(3), 1e-5);
  });
}

TEST(SyncBatchNorm, EvalAndNoGroupAskNobody) {  // U66
  run_ranks(2, [](comm::Communicator& ranks) {
    const auto group = group_of(ranks);
    SyncBatchNorm norm(BatchNormOptions(2), group);
    norm->eval();
    const Tensor x = RandomStream(1).normal({4, 2});
    SyncBatchNorm alone(2);
    torch::nn::BatchNorm1d plain(2);
    if (group.rank() == 1) return;
    EXPECT_EQ(difference(norm->forward(x), x, 1e-4), "");  // mean 0, variance 1, epsilon 1e-5
    EXPECT_EQ(difference(alone->forward(x), plain->forward(x), 1e-6), "");
  });
}

TEST(SyncBatchNorm, ShortFloats) {
  run_ranks(2, [](comm::Communicator& ranks) {
    const auto group = group_of(ranks);
    const Tensor x = RandomStream(1).normal({8, 2}).to(at::kBFloat16);
    const Tensor own = x.narrow(0, 4 * group.rank(), 4);
    SyncBatchNorm norm(BatchNormOptions(2), group);
    const Tensor y = norm->forward(own);
    EXPECT_EQ(y.scalar_type(), at::kBFloat16);
    torch::nn::BatchNorm1d whole(2);
    const Tensor want = whole->forward(x.to(at::kFloat)).narrow(0, 4 * group.rank(), 4);
    EXPECT_EQ(difference(y.to(at::kFloat), want, 8e-3), "");  // 8 bits of mantissa
  });
}

TEST(SyncBatchNorm, RefusesWhatCannotBe) {
  run_ranks(2, [](comm::Communicator& ranks) {
    const auto group = group_of(ranks);
    SyncBatchNorm norm(BatchNormOptions(2), group);
    EXPECT_EQ(message_of([&] {
                norm->forward(at::zeros({4, 3}));
              }),
              "SyncBatchNorm: the input must be (rows, 2, ...), got [4, 3]");
    EXPECT_EQ(message_of([&] {
                norm->forward(at::zeros({group.rank(), 2}));
              }),
              "SyncBatchNorm: in training all ranks together must have more than one value of a channel");
    EXPECT_EQ(norm->forward(at::zeros({0, 2})).sizes(), at::IntArrayRef({0, 2}));
    EXPECT_TRUE(norm->running_mean.eq(0).all().item<bool>());
  });
}

}  // namespace
}  // namespace tandem::distribute
