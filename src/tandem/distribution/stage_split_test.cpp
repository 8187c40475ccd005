// Where a pipeline is cut by cost.
#include "tandem/distribution/stage_split.h"

#include <gtest/gtest.h>

#include "tandem/testing/message_of.h"

namespace tandem::distribute {
namespace {

TEST(StageSplit, TheDearestPartIsAsCheapAsItCanBe) {
  EXPECT_EQ(split_by_cost({1, 1, 1, 5}, 2), (StepParts{0, 0, 0, 1}));  // U58: not by the number of layers
  EXPECT_EQ(split_by_cost({5, 1, 1, 1}, 2), (StepParts{0, 1, 1, 1}));
  EXPECT_EQ(split_by_cost({2, 2, 2, 2, 2, 2}, 3), (StepParts{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(split_by_cost({3, 1, 1, 1, 3}, 3), (StepParts{0, 1, 1, 1, 2}));
  EXPECT_EQ(split_by_cost({0, 0, 7}, 3), (StepParts{0, 1, 2})) << "no part is empty";
  EXPECT_EQ(split_by_cost({4, 4}, 1), (StepParts{0, 0}));
}

TEST(StageSplit, MorePartsThanLayers) {
  EXPECT_EQ(testing::message_of([] {
              split_by_cost({1, 1}, 3);
            }),
            "a model of 2 layers must have no more parts than that, got 3");
}

}  // namespace
}  // namespace tandem::distribute
