#include "tandem/layers/group_normalization.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/regularizers.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

static_assert(std::is_aggregate_v<GroupNormalizationOptions>);

TEST(GroupNormalization, MatchesKeras) { EXPECT_EQ(check_cases("group_norm_"), 12); }

TEST(GroupNormalization, MadeByHandMatchesKeras) {
  expect_matches(GroupNormalization({.groups = 3}), KerasCase("group_norm_image"));
  expect_matches(GroupNormalization({.groups = 3, .axis = 1}), KerasCase("group_norm_axis1"));
  expect_matches(GroupNormalization({.groups = -1, .epsilon = 1e-4}), KerasCase("group_norm_instance"));
  expect_matches(GroupNormalization({.groups = 2,
                                     .beta_regularizer = regularizers::L1(0.02),
                                     .gamma_regularizer = regularizers::L2(0.01),
                                     .gamma_constraint = "non_neg"}),
                 KerasCase("group_norm_regularized"));
}

// Rows share nothing: a row alone gives the same, and no rows give no values but gradients of zero.
TEST(GroupNormalization, OneRowAndNone) {
  for (int64_t axis : {-1, 1}) {
    GroupNormalization layer({.groups = 2, .axis = axis});
    const Tensor x = at::randn({3, 4, 5, 6}), all = layer(x);
    EXPECT_TRUE(all.is_contiguous());
    EXPECT_TRUE(at::allclose(layer(x.slice(0, 1, 2)), all.slice(0, 1, 2), 1e-5, 1e-6));
    const Tensor none = at::empty({0, 4, 5, 6}).requires_grad_(true);
    const Tensor out = layer(none);
    EXPECT_EQ(out.sizes(), none.sizes());
    out.sum().backward();
    EXPECT_EQ(none.grad().sizes(), none.sizes());
  }
}

TEST(GroupNormalization, ShapesOfAGraph) {
  GroupNormalization layer({.groups = 2});
  EXPECT_EQ(layer(Input({-1, 3, 4})).shape(), (Shape{-1, -1, 3, 4}));
  EXPECT_EQ(layer.weights()[0].shape(), (Shape{4}));
  EXPECT_EQ(layer->get_config().at("groups").as_int(), 2);
}

TEST(GroupNormalization, RefusesWhatCannotWork) {
  expect_refused([] { GroupNormalization({.groups = 0}); }, {"GroupNormalization", "groups", "0"});
  expect_refused([] { GroupNormalization({.epsilon = -1}); }, {"GroupNormalization", "epsilon", "-1"});
  expect_refused([] { GroupNormalization({.groups = 3, .name = "g"})(Input({4, 4})); }, {"'g'", "groups (3)"});
  expect_refused([] { GroupNormalization({.name = "g"})(Input({4, 4})); }, {"'g'", "groups (32)", "(None, 4, 4)"});
  expect_refused([] { GroupNormalization({.axis = 0, .name = "g"})(Input({4, 4})); }, {"'g'", "axis 0", "batch"});
  expect_refused([] { GroupNormalization({.name = "g"})(Input({4, -1})); }, {"'g'", "known", "(None, 4, None)"});
  GroupNormalization built({.groups = 2, .name = "g"});
  built(Input({3, 4}));
  expect_refused([&] { built(at::ones({2, 3, 5})); }, {"'g'", "4 channels", "(2, 3, 5)"});
}

}  // namespace
}  // namespace tandem::layers
