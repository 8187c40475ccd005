#include "tandem/layers/flatten.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

TEST(Flatten, MatchesKeras) { EXPECT_EQ(check_cases("flatten"), 2); }

TEST(Flatten, IsAViewOfTheSameMemory) {
  const Tensor x = at::randn({2, 3, 4, 5});
  EXPECT_EQ(Flatten()(x).data_ptr(), x.data_ptr());
}

TEST(Flatten, ShapesOfAGraph) {
  EXPECT_EQ(Flatten()(Input({3, 4, 5})).shape(), (Shape{-1, 60}));
  EXPECT_EQ(Flatten()(Input({3, -1})).shape(), (Shape{-1, -1}));
  EXPECT_EQ(Flatten()(Input({})).shape(), (Shape{-1, 1}));
  EXPECT_EQ(Flatten()(at::ones({4})).sizes(), (std::vector<int64_t>{4, 1}));
}

}  // namespace
}  // namespace tandem::layers
