#include "tandem/kernels/gate_functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tandem::kernels {
namespace {

double relative_error(float got, double want) { return std::abs(got - want) / std::max(std::abs(want), 1e-37); }

TEST(GateFunctions, FollowTheCLibraryInDoublePrecision) {
  double of_sigmoid = 0, of_tanh = 0, of_exp = 0;
  for (int i = -400000; i <= 400000; ++i) {
    const auto x = static_cast<float>(i * 2e-4);
    of_sigmoid = std::max(of_sigmoid, relative_error(gate_sigmoid(x), 1 / (1 + std::exp(-static_cast<double>(x)))));
    of_tanh = std::max(of_tanh, relative_error(gate_tanh(x), std::tanh(static_cast<double>(x))));
    of_exp = std::max(of_exp, relative_error(exp_minus_1(x), std::expm1(static_cast<double>(x))));
  }
  EXPECT_LT(of_sigmoid, 5e-7);
  EXPECT_LT(of_tanh, 5e-7);
  EXPECT_LT(of_exp, 5e-7);
}

TEST(GateFunctions, NearZeroNothingIsLost) {
  for (float x = 1e-3F; x > 1e-30F; x /= 3) {
    EXPECT_LT(relative_error(gate_tanh(x), std::tanh(static_cast<double>(x))), 5e-7) << x;
    EXPECT_LT(relative_error(gate_tanh(-x), std::tanh(-static_cast<double>(x))), 5e-7) << x;
  }
  EXPECT_EQ(gate_tanh(0), 0);
  EXPECT_EQ(gate_sigmoid(0), 0.5F);
}

TEST(GateFunctions, FarOutTheyAreTheirLimits) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float x : {16.F, 1e4F, infinity}) {
    EXPECT_EQ(gate_tanh(x), 1) << x;
    EXPECT_EQ(gate_tanh(-x), -1) << x;
  }
  EXPECT_EQ(gate_sigmoid(infinity), 1);
  EXPECT_NEAR(gate_sigmoid(-infinity), 0, 1e-37);
  EXPECT_TRUE(std::isnan(gate_tanh(std::nanf(""))));
  EXPECT_TRUE(std::isnan(gate_sigmoid(std::nanf(""))));
}

}  // namespace
}  // namespace tandem::kernels
