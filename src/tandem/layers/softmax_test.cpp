#include "tandem/layers/softmax.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

static_assert(std::is_aggregate_v<SoftmaxOptions>);

TEST(Softmax, MatchesKeras) { EXPECT_EQ(check_cases("softmax_"), 7); }

TEST(Softmax, MadeByHandMatchesKeras) {
  expect_matches(Softmax(), KerasCase("softmax_default"));
  expect_matches(Softmax({.axis = 1}), KerasCase("softmax_1"));
  expect_matches(Softmax({.axis = {1}}), KerasCase("softmax_list_of_one"));
  expect_matches(Softmax({.axis = {-1, -2}}), KerasCase("softmax_list_negative"));
}

TEST(Softmax, LargeValuesDoNotOverflow) {
  const Tensor x = at::full({1, 2, 3}, 1e4F);
  for (const auto& layer : {Softmax(), Softmax({.axis = {1, 2}})}) {
    const Tensor out = layer(x);
    EXPECT_TRUE(at::allclose(out, at::full({1, 2, 3}, layer->get_config().at("axis").is_list() ? 1 / 6.F : 1 / 3.F)));
  }
}

TEST(Softmax, TellsItsLogitsOverTheLastAxis) {
  const Tensor x = at::randn({2, 3, 4});
  LogitsRecord logits;
  CallContext context;
  context.logits = &logits;
  EXPECT_EQ(logits.find(Softmax()(x, context)).data_ptr(), x.data_ptr());
  EXPECT_EQ(logits.find(Softmax({.axis = 2})(x, context)).data_ptr(), x.data_ptr());
  EXPECT_FALSE(logits.find(Softmax({.axis = 1})(x, context)).defined());
  EXPECT_FALSE(logits.find(Softmax({.axis = {1, 2}})(x, context)).defined());
}

TEST(Softmax, NoRows) {
  EXPECT_EQ(Softmax()(at::empty({0, 3})).sizes(), (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(Softmax({.axis = {1, 2}})(at::empty({0, 3, 2})).sizes(), (std::vector<int64_t>{0, 3, 2}));
}

TEST(Softmax, RefusesAxesThatAreNotTheInputs) {
  expect_refused([] { Softmax({.axis = 2, .name = "s"})(Input({4})); }, {"'s'", "axis 2", "(None, 4)"});
  expect_refused([] { Softmax({.axis = -2, .name = "s"})(Input({4})); }, {"'s'", "axis -2", "batch"});
  expect_refused([] { Softmax({.axis = {1, -1}, .name = "s"})(Input({4})); }, {"'s'", "once", "[1,-1]"});
  expect_refused([] { Softmax({.axis = std::vector<int64_t>{}, .name = "s"})(Input({4})); }, {"'s'", "at least one"});
  Softmax built({.axis = 2, .name = "s"});
  built(Input({4, 5}));
  expect_refused([&] { built(at::ones({4, 5})); }, {"'s'", "axis 2", "(4, 5)"});
}

}  // namespace
}  // namespace tandem::layers
