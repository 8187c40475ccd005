#include "tandem/layers/weight_allowance.h"

#include <gtest/gtest.h>

#include "tandem/layers/dense.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

std::string built(const layers::Dense& dense, int64_t inputs) {
  return testing::message_of([&] { dense->ensure_built({{Shape::kUnknown, inputs}}); });
}

TEST(WeightAllowance, IsOfAllWeightsTogether) {
  const std::string fine = "nothing was thrown";
  const WeightAllowance allowance(20);
  EXPECT_EQ(built(layers::Dense(3), 4), fine);  // 15
  EXPECT_EQ(built(layers::Dense(2, {.name = "d"}), 3),
            "layer 'd' (Dense): weight 'kernel' of shape (3, 2) is more than the file's weights can hold");
  EXPECT_EQ(built(layers::Dense(1), 4), fine);  // 5
  EXPECT_NE(built(layers::Dense(1), 1), fine);
}

TEST(WeightAllowance, EndsWithItsScopeAndTheInnermostCounts) {
  {
    const WeightAllowance outer(1);
    {
      const WeightAllowance inner(100);
      EXPECT_EQ(built(layers::Dense(3), 4), "nothing was thrown");
    }
    EXPECT_NE(built(layers::Dense(3), 4), "nothing was thrown");
  }
  EXPECT_EQ(built(layers::Dense(3), 4), "nothing was thrown");
}

TEST(WeightAllowance, CountsThatRunOver) {
  const WeightAllowance allowance(1000);
  EXPECT_NE(built(layers::Dense(int64_t{1} << 40), int64_t{1} << 40).find("is more than the file's weights can hold"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
