#include "tandem/training/class_weight.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

Tensor weighed(const Tensor& y, const Tensor& weights = {}) {
  return class_weighting({{0, 0.5}, {2, 3.0}})->apply({at::zeros({y.size(0), 1}), y, weights}, {}).weights_of(0);
}

TEST(ClassWeight, IdsColumnsAndOneHotRows) {
  const Tensor want = at::tensor({3.0F, 1.0F, 0.5F, 3.0F});  // class 1 is not named and weighs 1
  const Tensor ids = at::tensor({2, 1, 0, 2}, at::kLong);
  for (const auto type : {at::kLong, at::kInt, at::kFloat, at::kByte}) {
    EXPECT_TRUE(at::equal(weighed(ids.to(type)), want)) << type;
    EXPECT_TRUE(at::equal(weighed(ids.to(type).view({4, 1})), want)) << type;
  }
  EXPECT_TRUE(at::equal(weighed(at::one_hot(ids, 4).to(at::kFloat)), want));
}

TEST(ClassWeight, MultipliesTheWeightsOfRows) {
  EXPECT_TRUE(at::equal(weighed(at::tensor({2, 0}), at::tensor({2.0F, 4.0F})), at::tensor({6.0F, 2.0F})));
}

TEST(ClassWeight, OtherTargetsAreRefused) {
  EXPECT_EQ(testing::message_of([] {
              weighed(at::zeros({2, 3, 4}));
            }),
            "class_weight: targets must be class ids or one-hot rows, got shape (2, 3, 4)");
  EXPECT_EQ(testing::message_of([] {
              class_weighting({{0, 1.0}})->apply({at::zeros({2, 1}), {at::zeros({2}), at::zeros({2})}, {}}, {});
            }),
            "class_weight: must be used with one output, got 2");
}

}  // namespace
}  // namespace tandem
