#include "tandem/optimizers/clipping.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/optimizers/allocation_counter_test.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::difference;
using testing::message_of;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Weights of 5, 70'000 and 0 elements, the second large enough for several threads; zeros between.
constexpr FlatPlace kWeights[] = {{0, 5}, {16, 70'000}, {70'016, 0}};
constexpr int64_t kBuffer = 70'016;

Tensor some_gradients() {
  Tensor flat = at::zeros({kBuffer});
  flat.narrow(0, 0, 5).copy_(at::tensor({0.3, -0.4, 0.0, 0.0, 0.0}));  // norm 0.5
  flat.narrow(0, 16, 70'000).copy_(at::randn({70'000}));
  return flat;
}

Tensor clipped(const Tensor& gradients, const Clipping& clipping) {
  Tensor result = gradients.clone();
  clip_gradients(result, kWeights, clipping);
  return result;
}

TEST(Clipping, ByWeightScalesEachThatIsOverTheBound) {
  const Tensor g = some_gradients(), got = clipped(g, {.clipnorm = 2});
  EXPECT_TRUE(at::equal(got.narrow(0, 0, 16), g.narrow(0, 0, 16)));
  EXPECT_EQ(difference(got.narrow(0, 16, 70'000), g.narrow(0, 16, 70'000) * (2 / g.narrow(0, 16, 70'000).norm()), 1e-7),
            "");
  const Tensor low = clipped(g, {.clipnorm = 0.25});
  EXPECT_EQ(difference(low.narrow(0, 0, 5), at::tensor({0.15f, -0.2f, 0.f, 0.f, 0.f}), 1e-7), "");
}

TEST(Clipping, GloballyScalesAllByTheirCommonNorm) {
  const Tensor g = some_gradients(), got = clipped(g, {.global_clipnorm = 2});
  EXPECT_EQ(difference(got, g * (2 / g.norm()), 1e-7), "");
  EXPECT_NEAR(got.norm().item<double>(), 2, 1e-5);
  EXPECT_TRUE(at::equal(clipped(g, {.global_clipnorm = 1e4}), g));
}

// Of the first weight this rank has 0.3 and -0.4, and another one 1.2: norm 1.3. The second one both have whole.
TEST(Clipping, NormsOfDividedWeightsAreThoseOfTheWhole) {
  std::vector<double> brought;
  const GradientShards shards{.sum = [](double own) { return own + 1.44; },
                              .sum_by_weight =
                                  [&](std::vector<double>& squares) {
                                    brought = squares;
                                    squares[0] += 1.44;
                                  }};
  const Tensor gradients = at::zeros({kBuffer});
  gradients.narrow(0, 0, 2).copy_(at::tensor({0.3, -0.4}));
  gradients.narrow(0, 16, 2).copy_(at::tensor({3.0, 4.0}));
  Tensor by_weight = gradients.clone();
  clip_gradients(by_weight, kWeights, {.clipnorm = 0.65}, &shards);
  EXPECT_EQ(difference(by_weight.narrow(0, 0, 2), at::tensor({0.15, -0.2}), 1e-6), "");
  EXPECT_EQ(difference(by_weight.narrow(0, 16, 2), at::tensor({0.39, 0.52}), 1e-6), "");
  ASSERT_EQ(brought.size(), std::size(kWeights));
  EXPECT_NEAR(brought[0], 0.25, 1e-6);
  Tensor by_all = gradients.clone();
  const double norm = std::sqrt(25.25 + 1.44);
  clip_gradients(by_all, kWeights, {.global_clipnorm = 1}, &shards);
  EXPECT_EQ(difference(by_all.narrow(0, 16, 2), at::tensor({3 / norm, 4 / norm}), 1e-6), "");
}

TEST(Clipping, ByValueCutsOff) {
  const Tensor g = some_gradients();
  EXPECT_TRUE(at::equal(clipped(g, {.clipvalue = 0.35}), g.clamp(-0.35, 0.35)));
}

TEST(Clipping, OfOtherTypesFollowsTheSameRules) {
  const Tensor g = some_gradients();
  for (const Clipping& clipping : {Clipping{.clipnorm = 2}, {.clipvalue = 0.35}, {.global_clipnorm = 2}}) {
    Tensor wide = g.to(at::kDouble);
    clip_gradients(wide, kWeights, clipping);
    EXPECT_EQ(difference(clipped(g, clipping).to(at::kDouble), wide, 1e-6), "");
  }
}

TEST(Clipping, GivesTheSameBitsWithAnyNumberOfThreads) {
  const Tensor g = some_gradients();
  const int threads = at::get_num_threads();
  for (const Clipping& clipping : {Clipping{.clipnorm = 2}, {.clipvalue = 0.35}, {.global_clipnorm = 2}}) {
    at::set_num_threads(1);
    const Tensor one = clipped(g, clipping);
    at::set_num_threads(3);
    EXPECT_TRUE(at::equal(clipped(g, clipping), one));
  }
  at::set_num_threads(threads);
}

// Keras: tf.clip_by_norm divides by the norm; clip_by_global_norm makes its scale NaN where the norm is not finite.
TEST(Clipping, OfWhatIsNotFiniteActsAsKeras) {
  for (const auto type : {at::kFloat, at::kDouble}) {
    const auto with = [&](double value) {
      Tensor g = some_gradients().to(type);
      g[2] = value;
      return g;
    };
    Tensor by_weight = clipped(with(kInfinite), {.clipnorm = 2});
    EXPECT_EQ(by_weight[0].item<double>(), 0);
    EXPECT_TRUE(std::isnan(by_weight[2].item<double>()));
    EXPECT_NEAR(by_weight.narrow(0, 16, 70'000).norm().item<double>(), 2, 1e-4);
    by_weight = clipped(with(kNan), {.clipnorm = 2});
    EXPECT_TRUE(by_weight.narrow(0, 0, 5).isnan().all().item<bool>());
    EXPECT_FALSE(by_weight.narrow(0, 16, 70'000).isnan().any().item<bool>());
    for (const double value : {kInfinite, kNan})
      EXPECT_TRUE(clipped(with(value), {.global_clipnorm = 2}).isnan().all().item<bool>()) << value;
    EXPECT_TRUE(std::isnan(clipped(with(kNan), {.clipvalue = 2})[2].item<double>()));
    EXPECT_EQ(clipped(with(-kInfinite), {.clipvalue = 2})[2].item<double>(), -2);
  }
}

TEST(Clipping, AllocatesNothing) {
  Tensor g = some_gradients();
  for (const Clipping& clipping : {Clipping{.clipvalue = 0.5}, {.clipnorm = 2}, {.global_clipnorm = 1}})
    EXPECT_EQ(tensor_allocations([&] { clip_gradients(g, kWeights, clipping); }), 0);
}

TEST(Clipping, RefusesBoundsOutOfRangeAndMoreThanOne) {
  const auto message = [](const Clipping& clipping) { return message_of([&] { check_clipping("SGD", clipping); }); };
  EXPECT_EQ(message({.clipnorm = -1}), "SGD: clipnorm must be a finite number >= 0, got -1");
  EXPECT_EQ(message({.clipvalue = kNan}), "SGD: clipvalue must be a finite number >= 0, got nan");
  EXPECT_EQ(message({.clipnorm = 0.5, .global_clipnorm = 2}),
            "SGD: only one of clipnorm, clipvalue and global_clipnorm can be set, got clipnorm=0.5, global_clipnorm=2");
  EXPECT_EQ(message({.clipvalue = 3}), "nothing was thrown");
}

TEST(Clipping, RefusesWeightsThatLieElsewhere) {
  Tensor g = at::zeros({20});
  const FlatPlace outside[] = {{16, 5}};
  EXPECT_THROW(clip_gradients(g, outside, {.clipnorm = 1}), InternalError);
  Tensor matrix = at::zeros({4, 5});
  EXPECT_THROW(clip_gradients(matrix, {}, {.clipnorm = 1}), InternalError);
}

}  // namespace
}  // namespace tandem
