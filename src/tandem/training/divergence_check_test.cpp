#include "tandem/training/divergence_check.h"

#include <gtest/gtest.h>

#include <limits>

namespace tandem {
namespace {

// The first of `windows` means at whose end it is told; -1: never.
int64_t told_after(const std::vector<double>& windows) {
  DivergenceCheck check;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    for (int64_t i = 0; i < DivergenceCheck::kWindow; ++i) {
      // Around the mean, which it keeps.
      if (check.add(windows[w] * (i % 2 == 0 ? 0.5 : 1.5))) return static_cast<int64_t>(w);
    }
  }
  return -1;
}

TEST(DivergenceCheck, TellsOnceThatLossesGrowWithoutEnd) {
  EXPECT_EQ(told_after({1, 0.5, 2, 4, 6, 50}), 4);
  DivergenceCheck check;
  int told = 0;
  for (int i = 0; i < 1000; ++i) told += check.add(i * i);
  EXPECT_EQ(told, 1);
}

TEST(DivergenceCheck, SaysNothingOfOtherLosses) {
  EXPECT_EQ(told_after({1, 0.5, 0.2, 0.1, 0.05}), -1);
  EXPECT_EQ(told_after({1, 0.1, 5, 0.1, 5, 0.1}), -1);        // up and down
  EXPECT_EQ(told_after({1, 0.5, 1, 2, 4}), -1);               // not so much
  EXPECT_EQ(told_after({1e-9, 1e-8, 1e-7, 1e-6, 1e-5}), -1);  // next to nothing
  DivergenceCheck check;
  for (int i = 0; i < 200; ++i) EXPECT_FALSE(check.add(std::numeric_limits<double>::infinity()));
}

}  // namespace
}  // namespace tandem
