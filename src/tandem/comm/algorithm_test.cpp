#include "tandem/comm/algorithm.h"

#include <gtest/gtest.h>

#include "tandem/testing/message_of.h"

namespace tandem::comm {
namespace {

TEST(Algorithm, NamesGoBothWays) {
  for (const std::string name : {"auto", "direct", "ring", "tree"}) EXPECT_EQ(name_of(parse_algorithm(name)), name);
  EXPECT_NE(parse_algorithm("ring"), parse_algorithm("tree"));
}

TEST(Algorithm, AnUnknownNameProposesANearOne) {
  EXPECT_EQ(testing::message_of([] { parse_algorithm("rign"); }),
            "all-reduce algorithm 'rign' is not known; did you mean 'ring'?");
}

}  // namespace
}  // namespace tandem::comm
