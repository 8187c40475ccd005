// What the schedules refuse, and how they are written in a program. Their values: keras_cases_test.cpp.
#include <gtest/gtest.h>

#include <limits>

#include "tandem/optimizers/cosine_decay.h"
#include "tandem/optimizers/cosine_decay_restarts.h"
#include "tandem/optimizers/exponential_decay.h"
#include "tandem/optimizers/inverse_time_decay.h"
#include "tandem/optimizers/piecewise_constant_decay.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace schedules;
using testing::message_of;

const double kNoNumber = std::numeric_limits<double>::quiet_NaN();

TEST(Schedules, ADecayByStepsIsPiecewiseConstant) {
  // rate 0.1, times 0.1 after every 2 of 4 epochs of one update
  const auto sgd = optimizers::SGD({.learning_rate = PiecewiseConstantDecay({1}, {0.1, 0.01})}).get();
  const float want[] = {0.1f, 0.1f, 0.01f, 0.01f};
  for (int64_t epoch = 0; epoch < 4; ++epoch) EXPECT_EQ(sgd->learning_rate(epoch), want[epoch]) << epoch;
  // the same by the formula
  const auto stairs = ExponentialDecay(0.1, 2, 0.1, {.staircase = true});
  for (int64_t epoch = 0; epoch < 4; ++epoch) EXPECT_NEAR(stairs.at(epoch), want[epoch], 1e-9) << epoch;
}

TEST(Schedules, CountFarBeyondTheirEnd) {
  EXPECT_NEAR(CosineDecay(0.1, 10, {.alpha = 0.25}).at(int64_t{1} << 40), 0.025, 1e-9);
  EXPECT_EQ(ExponentialDecay(0.1, 10, 0.5).at(int64_t{1} << 40), 0);
  const double late = CosineDecayRestarts(0.1, 10, {.m_mul = 0.5}).at(int64_t{1} << 40);
  EXPECT_TRUE(late >= 0 && late < 0.1) << late;
}

TEST(ExponentialDecay, RefusesSettingsOutOfRange) {
  EXPECT_EQ(message_of([] { ExponentialDecay(-1, 5, 0.5); }),
            "ExponentialDecay: initial_learning_rate must be a finite number >= 0, got -1");
  EXPECT_EQ(message_of([] { ExponentialDecay(1, 0, 0.5); }), "ExponentialDecay: decay_steps must be at least 1, got 0");
  EXPECT_EQ(message_of([] { ExponentialDecay(1, 5, kNoNumber); }),
            "ExponentialDecay: decay_rate must be a finite number >= 0, got nan");
}

TEST(InverseTimeDecay, RefusesSettingsOutOfRange) {
  EXPECT_EQ(message_of([] { InverseTimeDecay(1, -3, 0.5); }),
            "InverseTimeDecay: decay_steps must be at least 1, got -3");
  EXPECT_EQ(message_of([] { InverseTimeDecay(1, 5, -0.5); }),
            "InverseTimeDecay: decay_rate must be a finite number >= 0, got -0.5");
}

TEST(CosineDecay, RefusesSettingsOutOfRange) {
  EXPECT_EQ(message_of([] { CosineDecay(1, 0); }), "CosineDecay: decay_steps must be at least 1, got 0");
  EXPECT_EQ(message_of([] { CosineDecay(1, 5, {.alpha = -1}); }),
            "CosineDecay: alpha must be a finite number >= 0, got -1");
  EXPECT_EQ(message_of([] { CosineDecay(1, 5, {.warmup_target = kNoNumber}); }),
            "CosineDecay: warmup_target must be a finite number >= 0, got nan");
  EXPECT_EQ(message_of([] { CosineDecay(1, 5, {.warmup_steps = -1}); }),
            "CosineDecay: warmup_steps must be at least 0, got -1");
}

TEST(CosineDecayRestarts, RefusesSettingsOutOfRange) {
  EXPECT_EQ(message_of([] { CosineDecayRestarts(1, 0); }),
            "CosineDecayRestarts: first_decay_steps must be at least 1, got 0");
  EXPECT_EQ(message_of([] { CosineDecayRestarts(1, 5, {.t_mul = 0.5}); }),
            "CosineDecayRestarts: t_mul must be a finite number >= 1, got 0.5");
  EXPECT_EQ(message_of([] { CosineDecayRestarts(1, 5, {.m_mul = -1}); }),
            "CosineDecayRestarts: m_mul must be a finite number >= 0, got -1");
}

TEST(PiecewiseConstantDecay, RefusesSettingsOutOfRange) {
  EXPECT_EQ(message_of([] {
              PiecewiseConstantDecay({1, 2}, {0.1, 0.2});
            }),
            "PiecewiseConstantDecay: must get boundaries and one more value than boundaries, got 2 boundaries and 2 "
            "values");
  EXPECT_EQ(message_of([] {
              PiecewiseConstantDecay({3, 3}, {1, 2, 3});
            }),
            "PiecewiseConstantDecay: boundaries must grow, got [3,3]");
  EXPECT_EQ(message_of([] {
              PiecewiseConstantDecay({3}, {1, -2});
            }),
            "PiecewiseConstantDecay: each of values must be a finite number >= 0, got -2");
}

}  // namespace
}  // namespace tandem
