#include "tandem/optimizers/linear_scaling.h"

#include <gtest/gtest.h>

#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"

namespace tandem::optimizers {
namespace {

TEST(LinearScaling, MultipliesAndSaysSo) {  // U15
  const testing::CapturedLog log;
  EXPECT_DOUBLE_EQ(linearly_scaled(0.1, 4), 0.4);
  EXPECT_EQ(log.infos(), std::vector<std::string>{"learning rate 0.1 x 4 = 0.4 (linear scaling)"});
}

TEST(LinearScaling, RefusesWhatCannotBeScaled) {
  EXPECT_EQ(testing::message_of([] { linearly_scaled(0, 2); }),
            "linearly_scaled: rate must be positive and times at least 1, got 0 and 2");
  EXPECT_NE(testing::message_of([] { linearly_scaled(0.1, 0); }).find("got 0.1 and 0"), std::string::npos);
}

}  // namespace
}  // namespace tandem::optimizers
