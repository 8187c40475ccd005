#include "tandem/losses/binary_crossentropy.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "tandem/losses/binary_focal_crossentropy.h"
#include "tandem/losses/categorical_focal_crossentropy.h"

namespace tandem {
namespace {

static_assert(std::is_aggregate_v<losses::BinaryCrossentropyOptions>);
static_assert(std::is_aggregate_v<losses::BinaryFocalCrossentropyOptions>);
static_assert(std::is_aggregate_v<losses::CategoricalFocalCrossentropyOptions>);

TEST(BinaryCrossentropy, IsTheMeanOfMinusTheLogOfTheTargetsProbability) {
  const Tensor y = at::tensor({0, 1, 1, 0}).view({2, 2}), p = at::tensor({0.5, 0.25, 0.8, 0.9}).view({2, 2});
  const Tensor values = losses::BinaryCrossentropy().get()->call(y, p);
  EXPECT_NEAR(values[0].item<double>(), (std::log(2.0) + std::log(4.0)) / 2, 1e-12);
  EXPECT_NEAR(values[1].item<double>(), (std::log(1.25) + std::log(10.0)) / 2, 1e-12);
}

TEST(BinaryCrossentropy, FromLogitsIsThatOfTheirSigmoid) {
  const Tensor z = at::randn({5, 3}, at::kDouble), y = at::randint(2, {5, 3}, at::kLong);
  const Tensor want = losses::BinaryCrossentropy().get()->call(y, z.sigmoid());
  EXPECT_TRUE(at::allclose(losses::BinaryCrossentropy({.from_logits = true}).get()->call(y, z), want, 1e-6, 1e-6));
  EXPECT_TRUE(at::allclose(losses::BinaryCrossentropy().get()->call_with_logits(y, z), want, 1e-6, 1e-6));
}

TEST(BinaryCrossentropy, SaturatedRowsHaveAGradientByTheirLogitsOnly) {
  const auto loss = losses::BinaryCrossentropy().get();
  ASSERT_TRUE(loss->prefers_logits());
  const Tensor y = at::ones({1, 1}), z = at::full({1, 1}, -90.0f).requires_grad_();
  loss->call(y, z.sigmoid()).sum().backward();
  EXPECT_EQ(z.grad().item<float>(), 0);
  loss->call_with_logits(y, z).sum().backward();
  EXPECT_FLOAT_EQ(z.grad().item<float>(), -1);
}

TEST(BinaryCrossentropy, TakesTargetsOfAnyTypeWithOrWithoutALastAxis) {
  const auto loss = losses::BinaryCrossentropy().get();
  const Tensor p = at::rand({4, 1}), y = at::tensor({0, 1, 1, 0}), want = loss->call(y.unsqueeze(-1), p);
  EXPECT_EQ(want.sizes(), at::IntArrayRef({4}));
  for (const auto type : {at::kBool, at::kByte, at::kLong, at::kDouble}) {
    EXPECT_TRUE(at::equal(loss->call(y.to(type), p), want)) << type;
    EXPECT_TRUE(at::equal(loss->call(y.to(type), p.squeeze(-1)), want)) << type;
  }
  EXPECT_EQ(loss->call(at::zeros({0, 1}), at::zeros({0, 1})).numel(), 0);
}

TEST(BinaryCrossentropy, RefusesTheAxisOfTheRows) {
  const Tensor p = at::rand({2, 3, 4}), y = at::ones({2, 3, 4});
  EXPECT_EQ(losses::BinaryCrossentropy({.axis = 1}).get()->call(y, p).sizes(), at::IntArrayRef({2, 4}));
  for (const int64_t axis : {0, -3, 3, -4}) {
    EXPECT_THROW(losses::BinaryCrossentropy({.axis = axis}).get()->call(y, p), InvalidArgument) << axis;
    EXPECT_THROW(losses::BinaryFocalCrossentropy({.axis = axis}).get()->call(y, p), InvalidArgument) << axis;
    EXPECT_THROW(losses::CategoricalFocalCrossentropy({.axis = axis}).get()->call(y, p), InvalidArgument) << axis;
  }
}

TEST(BinaryCrossentropy, RefusesSettingsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-0.1, 1.1, nan}) {
    EXPECT_THROW(losses::BinaryCrossentropy({.label_smoothing = bad}), InvalidArgument) << bad;
    EXPECT_THROW(losses::BinaryFocalCrossentropy({.alpha = bad}), InvalidArgument) << bad;
    EXPECT_THROW(losses::CategoricalFocalCrossentropy({.alpha = bad}), InvalidArgument) << bad;
  }
  for (const double bad : {-1.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(losses::BinaryFocalCrossentropy({.gamma = bad}), InvalidArgument) << bad;
    EXPECT_THROW(losses::CategoricalFocalCrossentropy({.gamma = bad}), InvalidArgument) << bad;
  }
}

TEST(FocalCrossentropy, IsTheCrossentropyWhereGammaIsZero) {
  const Tensor p = at::rand({4, 3}, at::kDouble), y = at::randint(2, {4, 3}, at::kDouble);
  const Tensor binary = losses::BinaryCrossentropy().get()->call(y, p);
  EXPECT_TRUE(at::allclose(losses::BinaryFocalCrossentropy({.gamma = 0}).get()->call(y, p), binary, 1e-12, 1e-12));
  const Tensor q = p / p.sum(-1, true);
  const Tensor categorical = -(y * q.log()).sum(-1);
  const auto focal = losses::CategoricalFocalCrossentropy({.alpha = 1, .gamma = 0}).get();
  EXPECT_TRUE(at::allclose(focal->call(y, p), categorical, 1e-9, 1e-9));
}

}  // namespace
}  // namespace tandem
