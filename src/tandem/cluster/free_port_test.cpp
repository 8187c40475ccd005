#include "tandem/cluster/free_port.h"

#include <gtest/gtest.h>

#include <set>

namespace tandem::cluster {
namespace {

TEST(FreePort, IsAnotherOneEachTime) {
  std::set<int64_t> ports;
  for (int i = 0; i < 500; ++i) ports.insert(free_port());
  EXPECT_EQ(ports.size(), 500U);
  EXPECT_GT(*ports.begin(), 0);
}

}  // namespace
}  // namespace tandem::cluster
