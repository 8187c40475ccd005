#include "tandem/layers/dense.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/constraints.h"
#include "tandem/layers/initializers.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/regularizers.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

static_assert(std::is_aggregate_v<DenseOptions>);

TEST(Dense, MatchesKeras) { EXPECT_EQ(check_cases("dense_"), 10); }

TEST(Dense, MadeByHandMatchesKeras) {
  expect_matches(Dense(5, {.activation = "softmax"}), KerasCase("dense_softmax"));
  expect_matches(Dense(5, {.use_bias = false}), KerasCase("dense_no_bias"));
  expect_matches(Dense(4, {.kernel_regularizer = regularizers::L1L2({.l1 = 0.01, .l2 = 0.02}),
                           .bias_regularizer = regularizers::L1(0.03)}),
                 KerasCase("dense_regularized"));
  expect_matches(Dense(4, {.activation = "tanh",
                           .activity_regularizer = regularizers::L1L2({.l1 = 0.02, .l2 = 0.05}),
                           .kernel_constraint = constraints::MaxNorm(1.5),
                           .bias_constraint = "non_neg"}),
                 KerasCase("dense_constrained"));
}

TEST(Dense, TakesACallableActivation) {
  Dense layer(2, {.activation = [](const Tensor& x) { return x * 2; },
                  .kernel_initializer = "ones",
                  .bias_initializer = initializers::Constant(3)});
  EXPECT_TRUE(at::equal(layer(at::ones({1, 4})), at::full({1, 2}, 14.F)));
  expect_refused([&] { layer->get_config(); }, {"Dense", "callable"});
}

TEST(Dense, ShapesOfAGraph) {
  Dense layer(7);
  EXPECT_EQ(layer(Input({3})).shape(), (Shape{-1, 7}));
  EXPECT_EQ(layer(Input({5, 3})).shape(), (Shape{-1, 5, 7}));
  EXPECT_EQ(layer->count_params(), 3 * 7 + 7);
}

TEST(Dense, TellsTheLogitsBehindItsOutput) {
  LogitsRecord record;
  CallContext context;
  context.logits = &record;
  const Tensor x = at::randn({3, 4});
  for (const char* name : {"softmax", "sigmoid"}) {
    Dense layer(5, {.activation = name});
    const Tensor out = layer(x, context);
    const Tensor logits = record.find(out);
    ASSERT_TRUE(logits.defined());
    EXPECT_TRUE(at::allclose(logits, at::matmul(x, layer.weights()[0].value())));
  }
  EXPECT_FALSE(record.find(Dense(5, {.activation = "tanh"})(x, context)).defined());
}

TEST(Dense, RefusesWhatCannotWork) {
  expect_refused([] { Dense(0); }, {"Dense", "units", "positive", "0"});
  expect_refused([] { Dense(3, {.activation = "rellu"}); }, {"rellu", "did you mean", "relu"});
  expect_refused(
      [] {
        Dense(3, {.kernel_initializer = "glorot_unform"})(at::ones({2, 3}));
      },
      {"glorot_unform", "glorot_uniform"});
  expect_refused([] { Dense(3, {.name = "head"})(Input({-1})); }, {"'head'", "(Dense)", "last axis", "(None, None)"});
  expect_refused([] { Dense(3, {.name = "head"})(at::ones({2})); }, {"'head'", "rank 2", "(None,)"});
  Dense built(3, {.name = "head"});
  built(Input({4}));
  expect_refused([&] { built(Input({5})); }, {"'head'", "must be 4", "(None, 5)"});
  expect_refused([&] { built(at::ones({2, 5})); }, {"'head'", "must be 4", "(2, 5)"});
}

}  // namespace
}  // namespace tandem::layers
