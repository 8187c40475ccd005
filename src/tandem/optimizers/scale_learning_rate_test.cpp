#include "tandem/optimizers/scale_learning_rate.h"

#include <gtest/gtest.h>

#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"

namespace tandem::optimizers {
namespace {

TEST(ScaleLearningRate, TimesTheDevicesAndShown) {  // U15
  const testing::CapturedLog log;
  EXPECT_EQ(scale_learning_rate(0.25, 4), 1.0);
  EXPECT_EQ(scale_learning_rate(0.25, 1), 0.25);
  EXPECT_EQ(log.infos(), (std::vector<std::string>{"learning rate 0.25 scaled to 1 for 4 devices",
                                                   "learning rate 0.25 scaled to 0.25 for 1 device"}));
}

TEST(ScaleLearningRate, NeedsADevice) {
  EXPECT_EQ(testing::message_of([] { scale_learning_rate(0.1, 0); }),
            "scale_learning_rate: devices must be at least 1, got 0");
}

}  // namespace
}  // namespace tandem::optimizers
