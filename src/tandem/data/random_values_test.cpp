// RandomBrightness and RandomChannelShift: which numbers they draw.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tandem/core/error.h"
#include "tandem/data/message_of_test.h"
#include "tandem/data/random_brightness.h"
#include "tandem/data/random_channel_shift.h"
#include "tandem/data/row_streams_test.h"

namespace tandem::data {
namespace {

constexpr int64_t kValueRows = 3000;

void expect_even_between(const Tensor& drawn, double low, double high) {
  const Tensor numbers = (drawn.to(at::kDouble) - low) / (high - low);
  EXPECT_GE(numbers.min().item<double>(), -1e-5);
  EXPECT_LE(numbers.max().item<double>(), 1 + 1e-5);
  EXPECT_LT(numbers.min().item<double>(), 0.01);
  EXPECT_GT(numbers.max().item<double>(), 0.99);
  EXPECT_NEAR(numbers.mean().item<double>(), 0.5, 4 / std::sqrt(12.0 * kValueRows));
  EXPECT_NEAR(numbers.square().mean().item<double>(), 1.0 / 3, 4 * std::sqrt(4.0 / 45 / kValueRows));
}

TEST(RandomBrightness, FactorsAreEvenInTheRange) {
  for (const auto type : {at::kByte, at::kFloat}) {
    const Tensor x = at::tensor({0, 50, 100, 200}, type).reshape({1, 2, 2, 1}).repeat({kValueRows, 1, 1, 1});
    const Tensor bright =
        RandomBrightness({0.5, 2})->apply({x, {}, {}}, row_streams(kValueRows)).x[0].reshape({kValueRows, 4});
    EXPECT_EQ(bright.scalar_type(), at::kFloat);
    const Tensor factor = bright.select(1, 2) / 100;
    expect_even_between(factor, 0.5, 2);
    EXPECT_TRUE(at::allclose(bright.select(1, 1), factor * 50));
    EXPECT_TRUE(at::allclose(bright.select(1, 3), (factor * 200).clamp_max(255)));
  }
}

TEST(RandomChannelShift, NumbersAreEvenInPlusMinusTheRange) {
  const Tensor x = at::tensor({0, 100, 150, 255}, at::kByte).reshape({1, 2, 1, 2}).repeat({kValueRows, 1, 1, 1});
  const Tensor shifted =
      RandomChannelShift(40)->apply({x, {}, {}}, row_streams(kValueRows)).x[0].reshape({kValueRows, 4});
  const Tensor number = shifted.select(1, 1) - 100;
  expect_even_between(number, -40, 40);
  EXPECT_TRUE(at::allclose(shifted.select(1, 2), number + 150, 0, 1e-4)) << "one number for all channels";
  EXPECT_TRUE(at::allclose(shifted.select(1, 0), number.clamp_min(0), 0, 1e-4));
  EXPECT_TRUE(at::allclose(shifted.select(1, 3), number.clamp_max(0) + 255, 0, 1e-4));
}

TEST(RandomValues, RefuseBadRanges) {
  EXPECT_EQ(message_of<InvalidArgument>([] {
              RandomBrightness({1.2, 0.8});
            }),
            "RandomBrightness: the range must be two rising numbers of at least 0, got 1.2 and 0.8");
  EXPECT_THROW(RandomBrightness({-1, 1}), InvalidArgument);
  EXPECT_THROW(RandomBrightness({std::nan(""), 1}), InvalidArgument);
  EXPECT_EQ(message_of<InvalidArgument>([] { RandomChannelShift(-2); }),
            "RandomChannelShift: the range must be a number of at least 0, got -2");
}

}  // namespace
}  // namespace tandem::data
