#include "tandem/report/ticks.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tandem::report {
namespace {

std::string labels(double low, double high, int64_t most, bool whole = false) {
  std::string out;
  for (const auto& tick : nice_ticks(low, high, most, whole)) out += (out.empty() ? "" : " ") + tick.label;
  return out;
}

TEST(NiceTicksTest, StepsAre1Or2Or5TimesAPowerOfTen) {
  EXPECT_EQ(labels(0, 1, 6), "0.0 0.2 0.4 0.6 0.8 1.0");
  EXPECT_EQ(labels(0, 1, 11), "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0");
  EXPECT_EQ(labels(-0.3, 2.3, 7), "0.0 0.5 1.0 1.5 2.0");
  EXPECT_EQ(labels(3, 68, 8), "10 20 30 40 50 60");
  EXPECT_EQ(labels(-1, 1, 5), "-1.0 -0.5 0.0 0.5 1.0");
}

TEST(NiceTicksTest, WholeNumbersOnly) {
  EXPECT_EQ(labels(0.8, 3.2, 10, true), "1 2 3");
  EXPECT_EQ(labels(0, 70, 8, true), "0 10 20 30 40 50 60 70");
  EXPECT_EQ(labels(0.9, 1.1, 10, true), "1");
}

TEST(NiceTicksTest, LongNumbersArePowersOfTen) {
  EXPECT_EQ(labels(0, 2.5e6, 6), "0 5e5 1e6 1.5e6 2e6 2.5e6");
  EXPECT_EQ(labels(1e-7, 5e-7, 5), "1e-7 2e-7 3e-7 4e-7 5e-7");
  EXPECT_EQ(labels(1e300, 3e300, 3), "1e300 2e300 3e300");
}

TEST(NiceTicksTest, AreFewAndInsideForAnyRange) {
  for (int k = 0; k < 400; ++k) {
    const double low = std::sin(k) * std::pow(10.0, k % 17 - 8), high = low + std::pow(1.3, k % 50 - 20);
    const auto ticks = nice_ticks(low, high, 7);
    const double slack = 1e-8 * (high - low);
    EXPECT_GE(ticks.size(), 2u) << low << " " << high;
    EXPECT_LE(ticks.size(), 7u) << low << " " << high;
    EXPECT_GE(ticks.front().value, low - slack);
    EXPECT_LE(ticks.back().value, high + slack);
  }
}

TEST(PaddedRangeTest, WidensAndGivesAPointALength) {
  EXPECT_EQ(padded_range(0, 10, 0.1), std::make_pair(-1.0, 11.0));
  EXPECT_EQ(padded_range(0, 0, 0.1), std::make_pair(-0.5, 0.5));
  const auto [low, high] = padded_range(5, 5, 0.1);
  EXPECT_DOUBLE_EQ(low, 4.5);
  EXPECT_DOUBLE_EQ(high, 5.5);
  // 1 and its neighbour: their difference is rounding, not a curve.
  EXPECT_GT(padded_range(1, std::nextafter(1.0, 2.0), 0.1).second, 1.05);
}

}  // namespace
}  // namespace tandem::report
