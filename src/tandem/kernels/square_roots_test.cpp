#include "tandem/kernels/square_roots.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace tandem::kernels {
namespace {

template <class T>
void expect_roots_at_every_size() {
  for (std::size_t n = 0; n <= 9; ++n) {
    std::vector<T> x(n + 1, -4);  // the last one lies behind the end
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(i * i) / 7;
    square_roots(x.data(), static_cast<int64_t>(n));
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(x[i], std::sqrt(static_cast<T>(i * i) / 7)) << n << " " << i;
    EXPECT_EQ(x[n], -4) << n;
  }
  std::vector<T> x{-1, std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN(), 0};
  square_roots(x.data(), 4);
  EXPECT_TRUE(std::isnan(x[0]) && std::isinf(x[1]) && std::isnan(x[2]));
  EXPECT_EQ(x[3], 0);
}

TEST(SquareRoots, EqualStdSqrt) {
  expect_roots_at_every_size<float>();
  expect_roots_at_every_size<double>();
}

}  // namespace
}  // namespace tandem::kernels
