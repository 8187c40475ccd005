#include "tandem/layers/global_average_pooling2d.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/global_average_pooling1d.h"
#include "tandem/layers/global_average_pooling3d.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

TEST(GlobalAveragePooling2D, MatchesKeras) { EXPECT_EQ(check_cases("global_average_pooling2d"), 2); }

TEST(GlobalAveragePooling2D, OfStepsAndVolumesMatchKeras) {
  EXPECT_EQ(check_cases("global_average_pooling1d"), 2);
  EXPECT_EQ(check_cases("global_average_pooling3d"), 2);
  EXPECT_EQ(GlobalAveragePooling1D()(Input({-1, 5})).shape(), (Shape{-1, 5}));
  EXPECT_EQ(GlobalAveragePooling3D({.keepdims = true})(Input({3, 4, -1, 5})).shape(), (Shape{-1, 1, 1, 1, 5}));
  expect_refused([] { GlobalAveragePooling1D({.name = "g"})(Input({4, 4, 5})); }, {"'g'", "rank 3", "steps"});
}

TEST(GlobalAveragePooling2D, ShapesOfAGraph) {
  EXPECT_EQ(GlobalAveragePooling2D()(Input({-1, 4, 5})).shape(), (Shape{-1, 5}));
  EXPECT_EQ(GlobalAveragePooling2D({.keepdims = true})(Input({3, 4, 5})).shape(), (Shape{-1, 1, 1, 5}));
}

TEST(GlobalAveragePooling2D, RefusesOtherRanks) {
  expect_refused([] { GlobalAveragePooling2D({.name = "g"})(Input({4, 5})); }, {"'g'", "rank 4", "(None, 4, 5)"});
  GlobalAveragePooling2D built({.name = "g"});
  built(Input({4, 4, 5}));
  expect_refused([&] { built(at::ones({2, 5})); }, {"'g'", "rank 4", "(2, 5)"});
}

}  // namespace
}  // namespace tandem::layers
