// tandem train --fixed-order V: the same weights on any number of devices, by their SHA-256.
#include <gtest/gtest.h>

#include "run_tandem.h"

namespace tandem::testing {
namespace {

// The line with the digest of two short epochs.
std::string digest_on(const std::string& devices, const std::string& shards, const Arguments& more = {}) {
  Arguments arguments{"train",        "cnn", "--data",        "digits", "--devices", devices,
                      "--epochs",     "2",   "--steps",       "2",      "--seed",    "3",
                      "--batch-size", "18",  "--fixed-order", shards,   "--augment", "shift=0.1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const auto ended = run_tandem(arguments);
  EXPECT_EQ(ended.status, 0) << ended.err;
  for (const auto& line : lines_of(ended.out)) {
    if (line.starts_with("SHA-256 of the weights: ")) return line;
  }
  return "no digest in: " + ended.out;
}

TEST(FixedOrder, DigestIsTheSameOnOneTwoAndFourDevices) {
  const auto one = digest_on("cpu:0", "4");
  EXPECT_EQ(one.size(), std::string("SHA-256 of the weights: ").size() + 64) << one;
  EXPECT_EQ(digest_on("cpu*2", "4"), one);
  EXPECT_EQ(digest_on("cpu*4", "4", {"--threads-per-device", "1"}), one);
  EXPECT_NE(digest_on("cpu*2", "2"), one) << "other shards are other sums";
}

TEST(FixedOrder, BadInput) {
  expect_refused({"train", "cnn", "--devices", "cpu*3", "--fixed-order", "4"}, 2,
                 "Mirrored: fixed_order must be a multiple of the number of devices, got 4 shards for 3 devices");
  expect_refused({"train", "cnn", "--devices", "cpu*2", "--shares", "1,2,3"}, 2,
                 "shares: must be one for each of the 2 devices, got 3");
  expect_refused({"train", "cnn", "--devices", "cpu*2", "--shares", "1;2"}, 2,
                 "shares: must be auto or numbers such as 3,1, got '1;2'");
  expect_refused({"train", "cnn", "--devices", "cpu*2", "--average-every", "0"}, 2,
                 "--average-every: must be a whole number of at least 1, got '0'");
}

}  // namespace
}  // namespace tandem::testing
