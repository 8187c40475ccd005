#include "tandem/layers/center_crop.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/activity_regularization.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

TEST(CenterCrop, MatchesKeras) { EXPECT_EQ(check_cases("center_crop_"), 6); }
TEST(ActivityRegularization, MatchesKeras) { EXPECT_EQ(check_cases("activity_regularization"), 2); }

TEST(CenterCrop, TakesTheMiddle) {
  const Tensor x = at::arange(20, at::kByte).view({1, 4, 5, 1});
  const Tensor out = CenterCrop(2, 2)(x);
  EXPECT_TRUE(at::equal(out.flatten(), at::tensor({6.F, 7.F, 11.F, 12.F})));
  EXPECT_EQ(CenterCrop(2, 9)(Input({-1, -1, 3})).shape(), (Shape{-1, 2, 9, 3}));
}

TEST(CenterCrop, RefusesWhatCannotWork) {
  expect_refused([] { CenterCrop(0, 2); }, {"CenterCrop", "positive", "0"});
  expect_refused([] { CenterCrop(2, 2, {.name = "c"})(Input({4, 5})); }, {"'c'", "rank 4", "(None, 4, 5)"});
  expect_refused([] { ActivityRegularization({.l2 = -1}); }, {"ActivityRegularization", "l2", "-1"});
}

}  // namespace
}  // namespace tandem::layers
