#include "tandem/losses/categorical_crossentropy.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>

namespace tandem {
namespace {

static_assert(std::is_aggregate_v<losses::CategoricalCrossentropyOptions>);

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(CategoricalCrossentropy, IsMinusTheLogOfTheTargetsProbability) {
  const auto loss = losses::CategoricalCrossentropy().get();
  const Tensor y = at::tensor({0, 1, 0, 1, 0, 0}).view({2, 3});
  const Tensor p = at::tensor({0.2, 0.5, 0.3, 1.0, 2.0, 1.0}).view({2, 3});  // the second row is divided by 4
  const Tensor values = loss->call(y, p);
  EXPECT_NEAR(values[0].item<double>(), std::log(2.0), 1e-12);
  EXPECT_NEAR(values[1].item<double>(), std::log(4.0), 1e-12);
}

TEST(CategoricalCrossentropy, FromLogitsIsThatOfTheirSoftmax) {
  const Tensor z = at::randn({5, 4}, at::kDouble), y = at::eye(5, at::kDouble).slice(1, 0, 4);
  const Tensor want = -(y * z.softmax(-1).log()).sum(-1);
  const auto from_logits = losses::CategoricalCrossentropy({.from_logits = true}).get();
  EXPECT_TRUE(at::allclose(from_logits->call(y, z), want, 1e-9, 1e-9));
  EXPECT_TRUE(at::allclose(losses::CategoricalCrossentropy().get()->call_with_logits(y, z), want, 1e-9, 1e-9));
}

TEST(CategoricalCrossentropy, SaturatedRowsHaveAGradientByTheirLogitsOnly) {
  const auto loss = losses::CategoricalCrossentropy().get();
  ASSERT_TRUE(loss->prefers_logits());
  const Tensor y = at::tensor({0.0f, 1.0f}).view({1, 2});
  const Tensor z = at::tensor({60.0f, -60.0f}).view({1, 2}).requires_grad_();
  loss->call(y, z.softmax(-1)).sum().backward();
  EXPECT_EQ(z.grad().abs().max().item<float>(), 0);
  z.mutable_grad().zero_();
  loss->call_with_logits(y, z).sum().backward();
  EXPECT_FLOAT_EQ(z.grad()[0][0].item<float>(), 1);
  EXPECT_FLOAT_EQ(z.grad()[0][1].item<float>(), -1);
}

TEST(CategoricalCrossentropy, OtherAxisIsThatOfTheClasses) {
  const Tensor p = at::rand({2, 3, 4}, at::kDouble), y = at::rand({2, 3, 4}, at::kDouble);
  const Tensor last = losses::CategoricalCrossentropy().get()->call(y.transpose(1, 2), p.transpose(1, 2));
  const Tensor got = losses::CategoricalCrossentropy({.axis = 1}).get()->call(y, p);
  EXPECT_TRUE(at::allclose(got, last, 1e-12, 1e-12));
  EXPECT_THROW(losses::CategoricalCrossentropy({.axis = 3}).get()->call(y, p), InvalidArgument);
}

TEST(CategoricalCrossentropy, TakesIntegerTargetsAndAnEmptyBatch) {
  const auto loss = losses::CategoricalCrossentropy().get();
  const Tensor p = at::tensor({0.25f, 0.75f}).view({1, 2});
  EXPECT_FLOAT_EQ(loss->call(at::tensor({0, 1}, at::kByte).view({1, 2}), p).item<float>(), std::log(1 / 0.75f));
  EXPECT_EQ(loss->call(at::zeros({0, 2}), at::zeros({0, 2})).numel(), 0);
}

TEST(CategoricalCrossentropy, NamesBothShapesOfTargetsThatDoNotFit) {
  const auto loss = losses::CategoricalCrossentropy().get();
  EXPECT_EQ(message_of([&] {
              loss->call(at::zeros({6}), at::ones({6, 4}));
            }),
            "CategoricalCrossentropy: targets must have the shape of the predictions (6, 4), got (6,); targets that "
            "are class ids "
            "need SparseCategoricalCrossentropy");
  EXPECT_EQ(message_of([&] {
              loss->call(at::zeros({6, 3}), at::ones({6, 4}));
            }),
            "CategoricalCrossentropy: targets must have the shape of the predictions (6, 4), got (6, 3)");
}

TEST(CategoricalCrossentropy, RefusesALabelSmoothingOutOfRange) {
  EXPECT_EQ(message_of([] { losses::CategoricalCrossentropy({.label_smoothing = 1.5}); }),
            "CategoricalCrossentropy: label_smoothing must lie in [0, 1], got 1.5");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(losses::CategoricalCrossentropy({.label_smoothing = nan}), InvalidArgument);
}

}  // namespace
}  // namespace tandem
