#include "tandem/layers/permute.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

TEST(Permute, MatchesKeras) { EXPECT_EQ(check_cases("permute_"), 5); }

TEST(Permute, ShapesOfAGraph) {
  EXPECT_EQ(Permute({2, 1})(Input({10, 64})).shape(), (Shape{-1, 64, 10}));
  EXPECT_EQ(Permute({3, 1, 2})(Input({2, -1, 4})).shape(), (Shape{-1, 4, 2, -1}));
  EXPECT_EQ(Permute({1})(Input({5})).shape(), (Shape{-1, 5}));
}

TEST(Permute, RefusesWhatCannotWork) {
  expect_refused([] { Permute({0, 1}); }, {"Permute", "1, 2, ..., 2", "[0,1]"});
  expect_refused([] { Permute({1, 3}); }, {"Permute", "[1,3]"});
  expect_refused([] { Permute({2, 2}); }, {"Permute", "[2,2]"});
  expect_refused([] { Permute({2, 1}, {.name = "p"})(Input({4, 5, 6})); }, {"'p'", "rank 3", "(None, 4, 5, 6)"});
  Permute built({2, 1}, {.name = "p"});
  built(Input({4, 5}));
  expect_refused([&] { built(at::ones({2, 4})); }, {"'p'", "rank 3", "(2, 4)"});
}

}  // namespace
}  // namespace tandem::layers
