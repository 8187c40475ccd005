#include "tandem/layers/noise.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tandem/layers/alpha_dropout.h"
#include "tandem/layers/gaussian_dropout.h"
#include "tandem/layers/gaussian_noise.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/layer_config.h"
#include "tandem/layers/spatial_dropout1d.h"
#include "tandem/layers/spatial_dropout2d.h"
#include "tandem/layers/spatial_dropout3d.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

CallContext noisy(uint64_t key, int64_t first_row = 0) {
  return {.training = true, .random = RandomStream(key), .first_row = first_row};
}

TEST(Noise, InferenceAndConfigsMatchKeras) {
  EXPECT_EQ(check_cases("spatial_dropout"), 3);
  EXPECT_EQ(check_cases("gaussian_"), 2);
  EXPECT_EQ(check_cases("alpha_dropout"), 2);
}

TEST(Noise, DoesNotDependOnHowTheBatchIsDivided) {
  const Tensor x = at::randn({10, 3, 4});
  for (const LayerHandle& layer :
       std::vector<LayerHandle>{SpatialDropout1D(0.5), GaussianNoise(0.5), GaussianDropout(0.4), AlphaDropout(0.3),
                                AlphaDropout(0.3, {.noise_shape = {-1, 1, 4}, .seed = 5})}) {
    SCOPED_TRACE(layer->class_name());
    const Tensor whole = layer(x, noisy(3));
    for (int64_t cut : {1, 4, 9}) {
      const Tensor first = layer(x.slice(0, 0, cut), noisy(3)), second = layer(x.slice(0, cut), noisy(3, cut));
      EXPECT_TRUE(at::equal(at::cat({first, second}), whole));
    }
    EXPECT_FALSE(at::equal(layer(x, noisy(4)), whole));
    EXPECT_TRUE(layer(x).is_same(x)) << "inference";
    EXPECT_EQ(layer(x.slice(0, 0, 0), noisy(3)).sizes(), (std::vector<int64_t>{0, 3, 4}));
  }
}

TEST(Noise, SeedDrawsOtherNumbers) {
  const Tensor x = at::ones({20, 20});
  const auto apart = [&](const LayerHandle& plain, const LayerHandle& seeded) {
    EXPECT_FALSE(at::equal(plain(x, noisy(6)), seeded(x, noisy(6)))) << plain->class_name();
    EXPECT_TRUE(at::equal(seeded(x, noisy(6)), seeded(x, noisy(6)))) << plain->class_name();
  };
  apart(GaussianNoise(0.5), GaussianNoise(0.5, {.seed = 1}));
  apart(GaussianDropout(0.5), GaussianDropout(0.5, {.seed = 1}));
  apart(AlphaDropout(0.5), AlphaDropout(0.5, {.seed = 1}));
}

TEST(SpatialDropout, DropsWholeChannelsAndScalesTheRest) {
  const auto check = [](const LayerHandle& layer, const Tensor& x) {
    SCOPED_TRACE(layer->class_name());
    const Tensor out = layer(x, noisy(1)), flat = out.flatten(1, -2);  // (rows, places, channels)
    EXPECT_TRUE(at::equal(flat, flat.slice(1, 0, 1).expand_as(flat))) << "one draw for all places";
    const Tensor kept = flat.select(1, 0) != 0;
    EXPECT_TRUE(at::allclose(flat.select(1, 0), kept.to(at::kFloat) / 0.7));
    // 20,000 draws: the deviation of the share is sqrt(0.3 * 0.7 / 20000) = 0.0032.
    EXPECT_NEAR(kept.to(at::kFloat).mean().item<double>(), 0.7, 5 * 0.0032);
  };
  check(SpatialDropout1D(0.3), at::ones({100, 3, 200}));
  check(SpatialDropout2D(0.3), at::ones({100, 2, 3, 200}));
  check(SpatialDropout3D(0.3), at::ones({100, 2, 1, 2, 200}));
}

TEST(GaussianNoise, AddsNormalNumbers) {
  const Tensor x = at::randn({200, 500}), noise = GaussianNoise(0.2)(x, noisy(1)) - x;
  // 100,000 draws: the deviation of the mean is 0.2 / sqrt(100000), that of the deviation 0.2 / sqrt(200000).
  EXPECT_NEAR(noise.mean().item<double>(), 0, 5 * 0.2 / std::sqrt(1e5));
  EXPECT_NEAR(noise.std().item<double>(), 0.2, 5 * 0.2 / std::sqrt(2e5));
}

TEST(GaussianDropout, MultipliesByNormalNumbersOfMeanOne) {
  const double rate = 0.2, deviation = std::sqrt(rate / (1 - rate));
  const Tensor x = at::rand({200, 500}) + 1;
  const Tensor factor = GaussianDropout(rate)(x, noisy(1)) / x;
  EXPECT_NEAR(factor.mean().item<double>(), 1, 5 * deviation / std::sqrt(1e5));
  EXPECT_NEAR(factor.std().item<double>(), deviation, 5 * deviation / std::sqrt(2e5));
}

// Two values: what is dropped is scale * least + shift, what is kept scale * x + shift.
TEST(AlphaDropout, KeepsMeanAndVariance) {
  const double rate = 0.3, least = -1.7580993408473766;
  const double scale = 1 / std::sqrt((1 - rate) * (1 + rate * least * least)), shift = -scale * rate * least;
  const Tensor x = at::randn({200, 500}), out = AlphaDropout(rate)(x, noisy(1));
  const Tensor dropped = (out - (scale * least + shift)).abs() < 1e-5;
  EXPECT_TRUE(at::allclose(at::where(dropped, 0, out), at::where(dropped, 0, scale * x + shift), 1e-5, 1e-5));
  EXPECT_NEAR(dropped.to(at::kFloat).mean().item<double>(), rate, 5 * std::sqrt(rate * (1 - rate) / 1e5));
  EXPECT_NEAR(out.mean().item<double>(), 0, 0.02);
  EXPECT_NEAR(out.std().item<double>(), 1, 0.02);
}

TEST(AlphaDropout, GradientFollowsTheMask) {
  const double rate = 0.4, least = -1.7580993408473766;
  const auto scale = static_cast<float>(1 / std::sqrt((1 - rate) * (1 + rate * least * least)));
  const Tensor x = at::randn({50, 7}).requires_grad_(true);
  const Tensor out = AlphaDropout(rate)(x, noisy(2));
  out.sum().backward();
  const Tensor is_kept = x.grad() != 0;
  EXPECT_TRUE(at::allclose(x.grad(), at::where(is_kept, scale, 0.F)));
  EXPECT_NEAR(is_kept.to(at::kFloat).mean().item<double>(), 0.6, 5 * std::sqrt(0.24 / 350));
}

// Keras takes no "trainable" for these.
TEST(SpatialDropout, ConfigHasNoTrainable) {
  EXPECT_FALSE(layer_to_config(*SpatialDropout2D(0.3)).at("config").contains("trainable"));
  EXPECT_TRUE(layer_to_config(*GaussianNoise(0.3)).at("config").contains("trainable"));
}

TEST(Noise, RefusesWhatCannotWork) {
  expect_refused([] { SpatialDropout1D(1); }, {"SpatialDropout1D", "rate", "[0, 1)", "1"});
  expect_refused([] { GaussianNoise(-0.5); }, {"GaussianNoise", "stddev", "-0.5"});
  expect_refused([] { GaussianNoise(2); }, {"GaussianNoise", "stddev", "2"});
  expect_refused([] { GaussianDropout(1); }, {"GaussianDropout", "rate", "1"});
  expect_refused([] { AlphaDropout(1.5); }, {"AlphaDropout", "rate", "1.5"});
  expect_refused([] { AlphaDropout(0.5, {.noise_shape = {0, 2}}); }, {"AlphaDropout", "noise_shape"});
  expect_refused([] { SpatialDropout2D(0.5, {.name = "s"})(Input({4, 3})); }, {"'s'", "rank 4", "(None, 4, 3)"});
}

}  // namespace
}  // namespace tandem::layers
