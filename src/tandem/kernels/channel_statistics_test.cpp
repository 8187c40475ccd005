#include "tandem/kernels/channel_statistics.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"

namespace tandem::kernels {
namespace {

/// Largest |got - want| / |want| of float64 statistics.
double relative_error(const at::Tensor& got, const at::Tensor& want) {
  return ((got.to(at::kDouble) - want) / want).abs().max().item<double>();
}

void expect_exact(const at::Tensor& x) {
  const auto [mean, variance] = channel_statistics(x);
  const at::Tensor rows = x.reshape({-1, x.size(-1)}).to(at::kDouble);
  const at::Tensor deviation = rows.std(0, false);
  // A mean near 0 is as good as the values are.
  EXPECT_LT(((mean.to(at::kDouble) - rows.mean(0)) / (deviation + rows.mean(0).abs())).abs().max().item<double>(),
            1e-6);
  EXPECT_LT(relative_error(variance, deviation.square()), 1e-6) << x.sizes();
}

TEST(ChannelStatistics, AsInFloat64) {
  at::manual_seed(1);
  for (const auto& sizes : std::vector<std::vector<int64_t>>{
           {2, 1}, {5, 3}, {3, 17}, {4, 7, 5, 6}, {1031, 96}, {40000, 16}, {9, 5000}, {17, 129, 31}}) {
    expect_exact(at::randn(sizes));
  }
  expect_exact(at::randn({700, 40}).narrow(1, 3, 30));
}

TEST(ChannelStatistics, MeanFarLargerThanTheDeviation) {
  at::manual_seed(2);
  expect_exact(at::randn({5000, 24}) + 1000);
  expect_exact(at::randn({5000, 24}) * at::logspace(-3, 3, 24) - at::linspace(-300, 300, 24) * at::logspace(-3, 3, 24));
  // Nothing may be expected of the first row.
  at::Tensor x = at::randn({5000, 24});
  x[0].fill_(100);
  expect_exact(x);
}

TEST(ChannelStatistics, ConstantsAndOneRow) {
  const auto [mean, variance] = channel_statistics(at::full({1000, 5}, 0.1F));
  EXPECT_TRUE(at::allclose(mean, at::full({5}, 0.1F), 1e-7, 0));
  EXPECT_LT(variance.abs().max().item<float>(), 1e-15);
  EXPECT_GE(variance.min().item<float>(), 0);
  const at::Tensor row = at::randn({1, 33});
  EXPECT_TRUE(at::equal(channel_statistics(row).mean, row[0]));
  EXPECT_TRUE(at::equal(channel_statistics(row).variance, at::zeros({33})));
}

TEST(ChannelStatistics, NaNStaysInItsChannel) {
  at::Tensor x = at::randn({300, 4});
  x[200][2] = NAN;
  const auto [mean, variance] = channel_statistics(x);
  const at::Tensor want = at::tensor({0, 0, 1, 0}).to(at::kBool);
  EXPECT_TRUE(at::equal(mean.isnan(), want));
  EXPECT_TRUE(at::equal(variance.isnan(), want));
}

TEST(ChannelStatistics, EqualToTheBitForAnyNumberOfThreads) {
  const int threads = at::get_num_threads();
  const at::Tensor x = at::randn({10007, 19});
  at::set_num_threads(1);
  const auto one = channel_statistics(x);
  at::set_num_threads(3);
  const auto three = channel_statistics(x);
  at::set_num_threads(threads);
  EXPECT_TRUE(at::equal(one.mean, three.mean));
  EXPECT_TRUE(at::equal(one.variance, three.variance));
}

TEST(ChannelStatistics, RefusesNoRows) { EXPECT_THROW(channel_statistics(at::empty({0, 3})), InvalidArgument); }

}  // namespace
}  // namespace tandem::kernels
