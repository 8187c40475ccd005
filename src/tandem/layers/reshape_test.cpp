#include "tandem/layers/reshape.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

TEST(Reshape, MatchesKeras) { EXPECT_EQ(check_cases("reshape_"), 5); }

TEST(Reshape, ShapesOfAGraph) {
  EXPECT_EQ(Reshape({3, -1})(Input({6, 4})).shape(), (Shape{-1, 3, 8}));
  EXPECT_EQ(Reshape({24})(Input({6, 4})).shape(), (Shape{-1, 24}));
  EXPECT_EQ(Reshape({-1, 4})(Input({-1, 4})).shape(), (Shape{-1, -1, 4}));
  EXPECT_EQ(Reshape({2, 4})(Input({-1, 4})).shape(), (Shape{-1, 2, 4}));
  EXPECT_EQ(Reshape(Shape{})(Input({1})).shape(), (Shape{-1}));
}

TEST(Reshape, IsAViewOfTheSameMemory) {
  const Tensor x = at::randn({2, 3, 4});
  EXPECT_EQ(Reshape({2, -1})(x).data_ptr(), x.data_ptr());
  const Tensor turned = at::randn({2, 4, 3}).transpose(1, 2);
  EXPECT_TRUE(at::equal(Reshape({12})(turned), turned.contiguous().view({2, 12})));
}

TEST(Reshape, OneRowAndNone) {
  for (int64_t rows : {0, 1}) {
    EXPECT_EQ(Reshape({-1, 2})(at::ones({rows, 3, 4})).sizes(), (std::vector<int64_t>{rows, 6, 2}));
  }
}

TEST(Reshape, RefusesWhatCannotWork) {
  expect_refused([] { Reshape({3, 0}); }, {"Reshape", "target_shape", "0"});
  expect_refused([] { Reshape({3, -2}); }, {"Reshape", "target_shape", "-2"});
  expect_refused([] { Reshape({-1, -1}); }, {"Reshape", "-1 at most once", "2"});
  expect_refused([] { Reshape({5, -1}, {.name = "r"})(Input({6, 4})); }, {"'r'", "a multiple of 5", "(None, 6, 4)"});
  expect_refused([] { Reshape({5, 2}, {.name = "r"})(Input({6, 4})); }, {"'r'", "10 values", "(None, 6, 4)"});
  Reshape built({3, -1}, {.name = "r"});
  built(Input({-1, 2}));
  expect_refused([&] { built(at::ones({2, 5, 2})); }, {"'r'", "a multiple of 3", "(2, 5, 2)"});
}

}  // namespace
}  // namespace tandem::layers
