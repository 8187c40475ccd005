#include "tandem/distribution/mirrored.h"

#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"

namespace tandem::distribute {
namespace {

using testing::message_of;

std::string refusal(const MirroredOptions& options) {
  return message_of<InvalidArgument>([&] { Mirrored{options}; });
}

TEST(Mirrored, RefusesOptionsThatDoNotFit) {
  const Devices two{"cpu:0", "cpu:1"};
  EXPECT_EQ(refusal({.devices = two, .fixed_order = 3}),
            "Mirrored: fixed_order must be a multiple of the number of devices, got 3 shards for 2 devices");
  EXPECT_EQ(refusal({.devices = two, .shares = {1, 2}, .fixed_order = 4}),
            "Mirrored: fixed_order fixes how rows and sums are divided; shares, average_every and all_reduce host must "
            "not be set");
  EXPECT_EQ(refusal({.devices = two, .shares = {1, 2, 3}}), "shares: must be one for each of the 2 devices, got 3");
  EXPECT_EQ(refusal({.devices = two, .average_every = -1}),
            "Mirrored: average_every must be positive, or 0 to exchange gradients, got -1");
  EXPECT_EQ(refusal({.devices = two, .all_reduce = "host", .average_every = 2}),
            "Mirrored: average_every leaves each device its own updates; all_reduce must not be host");
  EXPECT_EQ(refusal({.devices = two, .bucket_bytes = 0}), "Mirrored: bucket_bytes must be positive, got 0");
  EXPECT_NE(refusal({.devices = two, .all_reduce = "rign"}).find("ring"), std::string::npos);
  EXPECT_NE(refusal({.devices = {"cpu:0", "cpu:0"}}).find("cpu:0"), std::string::npos);
}

}  // namespace
}  // namespace tandem::distribute
