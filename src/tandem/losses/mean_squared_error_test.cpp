#include "tandem/losses/mean_squared_error.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(MeanSquaredError, AveragesOverTheLastAxis) {
  const Tensor y = at::tensor({1.0, 2.0, 3.0, 4.0}).view({2, 2}), p = at::tensor({1.0, 4.0, 0.0, 0.0}).view({2, 2});
  EXPECT_TRUE(at::equal(losses::MeanSquaredError().get()->call(y, p), at::tensor({2.0, 12.5})));
}

TEST(MeanSquaredError, BringsALastAxisOfOneTogetherInsteadOfBroadcasting) {
  const auto loss = losses::MeanSquaredError().get();
  const Tensor y = at::tensor({1.0f, 2.0f, 3.0f}), p = at::tensor({1.0f, 0.0f, 0.0f}),
               want = at::tensor({0.0f, 4.0f, 9.0f});
  EXPECT_TRUE(at::equal(loss->call(y, p.unsqueeze(-1)), want));
  EXPECT_TRUE(at::equal(loss->call(y.unsqueeze(-1), p), want));
  EXPECT_TRUE(at::equal(loss->call(y, p), want));
  EXPECT_TRUE(at::equal(loss->call(y.to(at::kInt), p.unsqueeze(-1)), want));
  const Tensor grid = at::rand({3, 4});
  EXPECT_TRUE(at::equal(loss->call(grid.unsqueeze(-1), grid + 2), loss->call(grid, grid + 2)));
}

TEST(MeanSquaredError, NamesBothShapesOfTargetsThatDoNotFit) {
  try {
    losses::MeanSquaredError().get()->call(at::zeros({6, 1}), at::zeros({6, 3}));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "MeanSquaredError: targets must have the shape of the predictions (6, 3), got (6, 1)");
  }
  EXPECT_THROW(losses::MeanSquaredError().get()->call(at::zeros({5, 3}), at::zeros({6, 3})), InvalidArgument);
}

TEST(MeanSquaredError, HasNoFormForLogits) {
  const auto loss = losses::MeanSquaredError().get();
  EXPECT_FALSE(loss->prefers_logits());
  EXPECT_THROW(loss->call_with_logits(at::zeros({1, 1}), at::zeros({1, 1})), InternalError);
}

}  // namespace
}  // namespace tandem
