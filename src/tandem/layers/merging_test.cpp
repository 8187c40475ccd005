#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/add.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

TEST(Concatenate, MatchesKeras) { EXPECT_EQ(check_cases("concatenate"), 3); }
TEST(Add, MatchesKeras) { EXPECT_EQ(check_cases("add"), 2); }

TEST(Concatenate, ShapesOfAGraph) {
  EXPECT_EQ(Concatenate()({Input({4, 2}), Input({4, 3})}).shape(), (Shape{-1, 4, 5}));
  EXPECT_EQ(Concatenate({.axis = 1})({Input({4, 2}), Input({-1, 2})}).shape(), (Shape{-1, -1, 2}));
}

TEST(Concatenate, RefusesShapesThatDiffer) {
  expect_refused(
      [] {
        Concatenate({.name = "c"})({Input({4, 2}), Input({3, 2})});
      },
      {"'c'", "(None, 4, 2)", "(None, 3, 2)"});
  expect_refused([] { Concatenate({.name = "c"})({Input({4, 2}), Input({2})}); }, {"'c'", "(None, 4, 2)", "(None, 2)"});
  expect_refused([] { Concatenate({.axis = 0, .name = "c"})({Input({4}), Input({4})}); }, {"'c'", "axis 0", "batch"});
  Concatenate built({.name = "c"});
  built({Input({-1, 2}), Input({-1, 2})});
  expect_refused([&] { built({at::ones({1, 3, 2}), at::ones({1, 4, 2})}); }, {"'c'", "(1, 3, 2)", "(1, 4, 2)"});
}

TEST(Add, RepeatsAxesOfSizeOne) {
  EXPECT_EQ(Add()({Input({4, 1}), Input({4, 3})}).shape(), (Shape{-1, 4, 3}));
  EXPECT_TRUE(at::equal(Add()({at::ones({2, 1}), at::ones({2, 3}), at::ones({2, 3})}), at::full({2, 3}, 3.F)));
}

TEST(Add, LeavesItsInputsAsTheyAre) {
  const Tensor a = at::ones({2, 3}), b = at::ones({2, 3}), c = at::ones({2, 3});
  EXPECT_TRUE(at::equal(Add()({a, b, c}), at::full({2, 3}, 3.F)));
  for (const auto& x : {a, b, c}) EXPECT_TRUE(at::equal(x, at::ones({2, 3})));
}

TEST(Add, RefusesShapesThatDiffer) {
  expect_refused([] { Add({.name = "a"})({Input({4}), Input({3})}); }, {"'a'", "(None, 4)", "(None, 3)"});
  expect_refused([] { Add({.name = "a"})({Input({4})}); }, {"'a'", "two or more", "(None, 4)"});
  Add built({.name = "a"});
  built({Input({-1}), Input({-1})});
  expect_refused([&] { built({at::ones({2, 3}), at::ones({2, 4})}); }, {"'a'", "(2, 3)", "(2, 4)"});
}

}  // namespace
}  // namespace tandem::layers
