#include "tandem/layers/global_max_pooling2d.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/global_max_pooling1d.h"
#include "tandem/layers/global_max_pooling3d.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

TEST(GlobalMaxPooling2D, MatchesKeras) { EXPECT_EQ(check_cases("global_max_pooling2d"), 2); }

TEST(GlobalMaxPooling2D, EqualValuesShareTheGradient) {
  const Tensor x = at::tensor({3.F, 1.F, 3.F, 2.F}).view({1, 2, 2, 1}).requires_grad_(true);
  GlobalMaxPooling2D()(x).sum().backward();
  EXPECT_TRUE(at::equal(x.grad().flatten(), at::tensor({0.5F, 0.F, 0.5F, 0.F})));
}

TEST(GlobalMaxPooling2D, OfStepsAndVolumesMatchKeras) {
  EXPECT_EQ(check_cases("global_max_pooling1d"), 2);
  EXPECT_EQ(check_cases("global_max_pooling3d"), 2);
  EXPECT_EQ(GlobalMaxPooling1D()(Input({-1, 5})).shape(), (Shape{-1, 5}));
  EXPECT_EQ(GlobalMaxPooling3D({.keepdims = true})(Input({3, 4, -1, 5})).shape(), (Shape{-1, 1, 1, 1, 5}));
  expect_refused([] { GlobalMaxPooling1D({.name = "g"})(Input({4, 4, 5})); }, {"'g'", "rank 3", "steps"});
}

TEST(GlobalMaxPooling2D, ShapesOfAGraph) {
  EXPECT_EQ(GlobalMaxPooling2D()(Input({-1, 4, 5})).shape(), (Shape{-1, 5}));
  EXPECT_EQ(GlobalMaxPooling2D({.keepdims = true})(Input({3, 4, 5})).shape(), (Shape{-1, 1, 1, 5}));
  EXPECT_EQ(GlobalMaxPooling2D()(at::empty({0, 3, 4, 5})).sizes(), (std::vector<int64_t>{0, 5}));
}

TEST(GlobalMaxPooling2D, RefusesOtherRanks) {
  expect_refused([] { GlobalMaxPooling2D({.name = "g"})(Input({4, 5})); }, {"'g'", "rank 4", "(None, 4, 5)"});
  GlobalMaxPooling2D built({.name = "g"});
  built(Input({4, 4, 5}));
  expect_refused([&] { built(at::ones({2, 5})); }, {"'g'", "rank 4", "(2, 5)"});
}

}  // namespace
}  // namespace tandem::layers
