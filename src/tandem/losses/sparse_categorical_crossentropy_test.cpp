#include "tandem/losses/sparse_categorical_crossentropy.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>

namespace tandem {
namespace {

static_assert(std::is_aggregate_v<losses::SparseCategoricalCrossentropyOptions>);

std::string message_of(const Handle<Loss>& loss, const Tensor& y_true, const Tensor& y_pred) {
  try {
    loss.get()->call(y_true, y_pred);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(SparseCategoricalCrossentropy, IsMinusTheLogOfTheLabelsProbability) {
  const Tensor z = at::randn({2, 5, 3}, at::kDouble), y = at::randint(3, {2, 5}, at::kLong);
  const Tensor want = -z.log_softmax(-1).gather(-1, y.unsqueeze(-1)).squeeze(-1);
  const auto from_logits = losses::SparseCategoricalCrossentropy({.from_logits = true}).get();
  EXPECT_TRUE(at::allclose(from_logits->call(y, z), want, 1e-12, 1e-12));
  const auto loss = losses::SparseCategoricalCrossentropy().get();
  EXPECT_TRUE(loss->prefers_logits());
  EXPECT_TRUE(at::allclose(loss->call_with_logits(y, z), want, 1e-12, 1e-12));
  EXPECT_TRUE(at::allclose(loss->call(y, z.softmax(-1)), want, 1e-6, 1e-6));
}

TEST(SparseCategoricalCrossentropy, TakesLabelsOfAnyTypeWithOrWithoutALastAxis) {
  const auto loss = losses::SparseCategoricalCrossentropy().get();
  const Tensor p = at::rand({4, 3}), ids = at::tensor({2, 0, 1, 2});
  const Tensor want = loss->call(ids, p);
  for (const auto type : {at::kInt, at::kLong, at::kByte, at::kFloat, at::kDouble}) {
    EXPECT_TRUE(at::equal(loss->call(ids.to(type), p), want)) << type;
    EXPECT_TRUE(at::equal(loss->call(ids.to(type).unsqueeze(-1), p), want)) << type;
  }
}

TEST(SparseCategoricalCrossentropy, NamesALabelOutOfRangeItsRowAndTheClasses) {
  const losses::SparseCategoricalCrossentropy loss({.from_logits = true});
  EXPECT_EQ(message_of(loss, at::tensor({0, 7, 9}), at::zeros({3, 3})),
            "SparseCategoricalCrossentropy: labels must lie in [0, 3) for 3 classes, got 7 in row 1");
  EXPECT_EQ(message_of(loss, at::tensor({0, 1, 0, -1}).view({2, 2}), at::zeros({2, 2, 3})),
            "SparseCategoricalCrossentropy: labels must lie in [0, 3) for 3 classes, got -1 in row 1");
  EXPECT_NE(message_of(loss, at::tensor({3}), at::zeros({1, 3})).find("got 3 in row 0"), std::string::npos);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(message_of(loss, at::tensor({0.0f, nan}), at::zeros({2, 3})).find("in row 1"), std::string::npos);
}

TEST(SparseCategoricalCrossentropy, NamesBothShapesOfTargetsThatDoNotFit) {
  const losses::SparseCategoricalCrossentropy loss;
  EXPECT_EQ(message_of(loss, at::zeros({6, 4}), at::ones({6, 4})),
            "SparseCategoricalCrossentropy: targets must be class ids of shape (6,) for predictions (6, 4), got (6, "
            "4); one-hot "
            "targets need CategoricalCrossentropy");
  EXPECT_EQ(message_of(loss, at::zeros({5}), at::ones({6, 4})),
            "SparseCategoricalCrossentropy: targets must be class ids of shape (6,) for predictions (6, 4), got (5,)");
  EXPECT_EQ(message_of(loss, at::zeros({6}), at::ones({6})),
            "SparseCategoricalCrossentropy: predictions must have shape (rows, ..., classes), got (6,)");
}

TEST(SparseCategoricalCrossentropy, AnIgnoredClassHasNoLossAndDoesNotCount) {
  const auto loss = losses::SparseCategoricalCrossentropy({.from_logits = true, .ignore_class = 255}).get();
  const Tensor z = at::zeros({3, 4}).requires_grad_(), y = at::tensor({1, 255, 3}, at::kByte);
  const Tensor values = loss->call(y, z);
  EXPECT_FLOAT_EQ(values[0].item<float>(), std::log(4.0f));
  EXPECT_EQ(values[1].item<float>(), 0);
  values.sum().backward();
  EXPECT_EQ(z.grad()[1].abs().max().item<float>(), 0);
  EXPECT_TRUE(at::equal(loss->mask(y, z), at::tensor({1, 0, 1}).to(at::kBool)));
  EXPECT_FALSE(losses::SparseCategoricalCrossentropy().get()->mask(y, z).defined());
  EXPECT_THROW(loss->call(at::tensor({1, 254, 3}, at::kByte), z), InvalidArgument);
}

TEST(SparseCategoricalCrossentropy, AnEmptyBatchHasNoValues) {
  const auto values = losses::SparseCategoricalCrossentropy().get()->call(at::zeros({0}), at::zeros({0, 3}));
  EXPECT_EQ(values.sizes(), at::IntArrayRef({0}));
}

}  // namespace
}  // namespace tandem
