#include "tandem/layers/dropout.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

CallContext training_with(uint64_t key, int64_t first_row = 0) {
  return {.training = true, .random = RandomStream(key), .first_row = first_row};
}

TEST(Dropout, InferenceMatchesKeras) { EXPECT_EQ(check_cases("dropout"), 2); }

TEST(Dropout, DropsTheRateAndScalesTheRest) {
  const Tensor x = at::ones({200, 500});
  const Tensor out = Dropout(0.3)(x, training_with(1));
  const Tensor kept = out != 0;
  EXPECT_TRUE(at::allclose(out, kept.to(at::kFloat) / 0.7));
  // 100,000 draws: the deviation of the share is sqrt(0.3 * 0.7 / 100000) = 0.0014.
  EXPECT_NEAR(kept.to(at::kFloat).mean().item<double>(), 0.7, 5 * 0.0014);
}

TEST(Dropout, GradientFollowsTheMask) {
  const Tensor x = at::randn({5, 7}).requires_grad_(true);
  const Tensor out = Dropout(0.4)(x, training_with(2));
  out.sum().backward();
  EXPECT_TRUE(at::allclose(x.grad(), at::where(out == 0, 0.F, 1 / 0.6F)));
}

TEST(Dropout, MasksDoNotDependOnHowTheBatchIsDivided) {
  const Tensor x = at::randn({10, 3, 5});
  Dropout layer(0.5);
  const Tensor whole = layer(x, training_with(3));
  for (int64_t cut : {1, 4, 9}) {
    const Tensor first = layer(x.slice(0, 0, cut), training_with(3)),
                 second = layer(x.slice(0, cut), training_with(3, cut));
    EXPECT_TRUE(at::equal(at::cat({first, second}), whole));
  }
  EXPECT_TRUE(at::equal(layer(x, training_with(3)), whole));
  EXPECT_FALSE(at::equal(layer(x, training_with(4)), whole));
}

TEST(Dropout, NoiseShapeSharesDraws) {
  const Tensor x = at::ones({6, 4, 50});
  const Tensor by_row = Dropout(0.5, {.noise_shape = {-1, 1, 50}})(x, training_with(5));
  EXPECT_TRUE(at::equal(by_row, by_row.slice(1, 0, 1).expand_as(by_row)));
  EXPECT_FALSE(at::equal(by_row[0], by_row[1]));
  Dropout shared(0.5, {.noise_shape = {1, 4, 50}});
  const Tensor one = shared(x, training_with(5));
  EXPECT_TRUE(at::equal(one[0], one[5]));
  EXPECT_TRUE(at::equal(shared(x, training_with(5, 6)), one));
}

TEST(Dropout, SeedDrawsOtherMasks) {
  const Tensor x = at::ones({50, 50});
  const Tensor plain = Dropout(0.5)(x, training_with(6)), seeded = Dropout(0.5, {.seed = 1})(x, training_with(6));
  EXPECT_FALSE(at::equal(plain, seeded));
  EXPECT_TRUE(at::equal(Dropout(0.5, {.seed = 1})(x, training_with(6)), seeded));
}

TEST(Dropout, RateZeroAndInferenceReturnTheInput) {
  const Tensor x = at::randn({2, 3});
  EXPECT_TRUE(Dropout(0)(x, training_with(7)).is_same(x));
  EXPECT_TRUE(Dropout(0.9)(x).is_same(x));
}

TEST(Dropout, RefusesWhatCannotWork) {
  expect_refused([] { Dropout(1); }, {"Dropout", "rate", "[0, 1)", "1"});
  expect_refused([] { Dropout(-0.1); }, {"Dropout", "rate", "-0.1"});
  expect_refused(
      [] {
        Dropout(0.5, {.noise_shape = {-1, 2}, .name = "d"})(Input({3}));
      },
      {"'d'", "noise_shape", "(None, 3)"});
}

}  // namespace
}  // namespace tandem::layers
