#include "tandem/kernels/sum_of_squares.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <limits>

namespace tandem::kernels {
namespace {

TEST(SumOfSquares, AgreesWithFloat64AtEverySize) {
  for (const int64_t n : {0, 1, 31, 32, 33, 1023, 1024, 1057, 32768, 65537, 100'003, 3'000'017}) {
    const at::Tensor x = at::randn({n});
    const double want = x.to(at::kDouble).square().sum().item<double>();
    EXPECT_NEAR(sum_of_squares(x.const_data_ptr<float>(), n), want, 1e-6 * want) << n;
  }
}

TEST(SumOfSquares, GivesTheSameBitsWithAnyNumberOfThreads) {
  const at::Tensor x = at::randn({1'000'003});
  const int threads = at::get_num_threads();
  std::vector<double> sums;
  for (const int n : {1, 2, 3, 5}) {
    at::set_num_threads(n);
    sums.push_back(sum_of_squares(x.const_data_ptr<float>(), x.numel()));
  }
  at::set_num_threads(threads);
  for (const double sum : sums) EXPECT_EQ(sum, sums[0]);
}

TEST(SumOfSquares, KeepsWhatIsNotFinite) {
  at::Tensor x = at::ones({2048});
  x[1500] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isinf(sum_of_squares(x.const_data_ptr<float>(), x.numel())));
  x[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(sum_of_squares(x.const_data_ptr<float>(), x.numel())));
}

}  // namespace
}  // namespace tandem::kernels
