#include "tandem/zoo/scheduled_rate.h"

#include <gtest/gtest.h>

#include "tandem/testing/message_of.h"

namespace tandem::zoo {
namespace {

TEST(ScheduledRate, BeginsAtTheRateAndEndsWhereItsShapeSays) {
  const auto expect = [](const std::string& name, double half, double end) {
    const auto rate = scheduled_rate(name, 0.5, 1000);
    EXPECT_NEAR(rate.at(0), 0.5, 1e-6) << name;
    EXPECT_NEAR(rate.at(500), half, 1e-6) << name;
    EXPECT_NEAR(rate.at(1000), end, 1e-6) << name;
  };
  expect("polynomial", 0.25, 0);
  expect("cosine", 0.25, 0);
  expect("exponential", 0.05, 0.005);
  expect("piecewise", 0.05, 0.005);
  expect("inverse-time", 0.5 / 5.5, 0.05);
  expect("none", 0.5, 0.5);
  expect("", 0.5, 0.5);
}

TEST(ScheduledRate, PiecewiseHoldsForHalfAndForAQuarter) {
  for (const int64_t updates : {1, 2, 3, 4, 5, 100}) {
    const auto rate = scheduled_rate("piecewise", 1, updates);
    for (int64_t step = 0; step < updates; ++step) {
      const double expected = 2 * step < updates ? 1 : 4 * step < 3 * updates ? 0.1 : 0.01;
      EXPECT_NEAR(rate.at(step), expected, 1e-7) << step << " of " << updates;
    }
  }
}

TEST(ScheduledRate, AnyShapeTakesOneUpdate) {
  for (const auto& name : schedule_names()) EXPECT_NEAR(scheduled_rate(name, 0.1, 1).at(0), 0.1, 1e-7) << name;
}

TEST(ScheduledRate, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(testing::message_of([] { scheduled_rate("cosin", 0.1, 10); }),
            "schedule 'cosin' is not known; did you mean 'cosine'?");
  EXPECT_EQ(testing::message_of([] { scheduled_rate("cosine", 0.1, 0); }),
            "schedule: updates must be at least 1, got 0");
}

}  // namespace
}  // namespace tandem::zoo
