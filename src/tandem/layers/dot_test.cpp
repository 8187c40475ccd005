#include "tandem/layers/dot.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/repeat_vector.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

TEST(Dot, MatchesKeras) { EXPECT_EQ(check_cases("dot_"), 14); }
TEST(RepeatVector, MatchesKeras) { EXPECT_EQ(check_cases("repeat_vector"), 1); }

TEST(Dot, MadeByHandMatchesKeras) {
  expect_matches(Dot(1), KerasCase("dot_vectors"));
  expect_matches(Dot({2, 1}, {.normalize = true}), KerasCase("dot_matrices_normalized"));
}

TEST(Dot, OfVectorsIsTheSumOfProducts) {
  const Tensor x = RandomStream(1).normal({4, 3}), y = RandomStream(2).normal({4, 3});
  EXPECT_TRUE(at::allclose(Dot(1)({x, y}), (x * y).sum(1, true), 1e-5, 1e-6));
  const Tensor cosines = at::cosine_similarity(x, y, 1).unsqueeze(1);
  EXPECT_TRUE(at::allclose(Dot(-1, {.normalize = true})({x, y}), cosines, 1e-5, 1e-6));
}

TEST(Dot, ShapesOfAGraph) {
  EXPECT_EQ(Dot({2, 1})({Input({3, 4}), Input({4, 5, 6})}).shape(), (Shape{-1, 3, 5, 6}));
  EXPECT_EQ(Dot(1)({Input({4}), Input({4})}).shape(), (Shape{-1, 1}));
  EXPECT_EQ(Dot(2)({Input({-1, 4}), Input({3, 4})}).shape(), (Shape{-1, -1, 3}));
  EXPECT_EQ(Dot(2)({at::empty({0, 2, 4}), at::empty({0, 3, 4})}).sizes(), (std::vector<int64_t>{0, 2, 3}));
  EXPECT_EQ(RepeatVector(3)(Input({5})).shape(), (Shape{-1, 3, 5}));
}

TEST(Dot, RefusesWhatCannotWork) {
  expect_refused([] { Dot({1, 2, 3}); }, {"Dot", "axes", "[1,2,3]"});
  expect_refused([] { Dot(1, {.name = "d"})({Input({3}), Input({4})}); }, {"'d'", "(None, 3)", "(None, 4)"});
  expect_refused([] { Dot(0, {.name = "d"})({Input({3}), Input({3})}); }, {"'d'", "batch"});
  expect_refused([] { Dot(1, {.name = "d"})(Input({3})); }, {"'d'", "two inputs", "(None, 3)"});
  expect_refused([] { Dot(1, {.name = "d"})({at::ones({2, 3}), at::ones({4, 3})}); }, {"'d'", "rows", "(4, 3)"});
  expect_refused([] { RepeatVector(0); }, {"RepeatVector", "n", "0"});
  expect_refused([] { RepeatVector(2, {.name = "r"})(Input({3, 4})); }, {"'r'", "rank 2", "(None, 3, 4)"});
}

}  // namespace
}  // namespace tandem::layers
