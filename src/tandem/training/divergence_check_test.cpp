#include "tandem/training/divergence_check.h"

#include <gtest/gtest.h>

#include <limits>

namespace tandem {
namespace {

// The first of `windows` means at whose end it is told; -1: never. `first`: the first batch's loss, of `rows` rows.
int64_t told_after(const std::vector<double>& windows, double first = 0, int64_t rows = 0) {
  DivergenceCheck check;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    for (int64_t i = 0; i < DivergenceCheck::kWindow; ++i) {
      // Around the mean, which it keeps.
      const double usual = windows[w] * (i % 2 == 0 ? 0.5 : 1.5);
      if (check.add(rows > 0 && w == 0 && i == 0 ? first : usual, rows)) return static_cast<int64_t>(w);
    }
  }
  return -1;
}

TEST(DivergenceCheck, TellsOnceThatLossesGrowWithoutEnd) {
  EXPECT_EQ(told_after({1, 0.5, 2, 4, 6, 50}), 4);
  DivergenceCheck check;
  int told = 0;
  for (int i = 0; i < 1000; ++i) told += check.add(i * i, 1);
  EXPECT_EQ(told, 1);
}

TEST(DivergenceCheck, SaysNothingOfOtherLosses) {
  EXPECT_EQ(told_after({1, 0.5, 0.2, 0.1, 0.05}), -1);
  EXPECT_EQ(told_after({1, 0.1, 5, 0.1, 5, 0.1}), -1);        // up and down
  EXPECT_EQ(told_after({1, 0.5, 1, 2, 4}), -1);               // not so much
  EXPECT_EQ(told_after({1e-9, 1e-8, 1e-7, 1e-6, 1e-5}), -1);  // next to nothing
  DivergenceCheck check;
  for (int i = 0; i < 200; ++i) EXPECT_FALSE(check.add(std::numeric_limits<double>::infinity(), 32));
}

// A jump, and no way back: with momentum at rates of 3, 30 and 1e6 softmax losses go so.
TEST(DivergenceCheck, TellsOfAJump) {
  EXPECT_EQ(told_after({30, 45, 49}, 2.3, 32), 1);
  EXPECT_EQ(told_after({807, 495, 454}, 2.3, 32), 1);
  EXPECT_EQ(told_after({2.2e20, 1.5e7, 1.8e7}, 2.3, 32), 2);
  EXPECT_EQ(told_after({1, 0.5, 20, 15, 16}), 3);
}

TEST(DivergenceCheck, SaysNothingOfAJumpThatIsMadeGood) {
  EXPECT_EQ(told_after({1000, 400, 100, 30, 2}, 2.3, 32), -1);
  EXPECT_EQ(told_after({1, 0.5, 20, 4, 1}), -1);
  EXPECT_EQ(told_after({30, 45, 40}, 2.3, 1), -1);  // one row's loss is no measure
}

}  // namespace
}  // namespace tandem
