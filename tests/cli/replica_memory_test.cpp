// What each further replica adds to the memory of the process.
#include <gtest/gtest.h>

#include "run_tandem.h"
#include "tandem/core/config.h"

namespace tandem::testing {
namespace {

// Peak resident memory, in MB, of training `devices` replicas with 32 rows each.
double peak_memory(int64_t devices, const std::string& model) {
  const auto ended = run_tandem({"bench", "train", model, "--batch-size", std::to_string(32 * devices), "--steps", "1",
                                 "--devices", "cpu*" + std::to_string(devices), "--threads-per-device", "1", "--json"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  return Config::from_json(ended.out).at("peak_rss_mb").as_double();
}

TEST(ReplicaMemory, ASecondReplicaAddsNoMoreThanTheFirst) {
  // A network that takes next to nothing stands for the process without a replica.
  const double none = peak_memory(1, "mlp"), one = peak_memory(1, "minigooglenet");
  const double two = peak_memory(2, "minigooglenet"), three = peak_memory(3, "minigooglenet");
  EXPECT_GT(one - none, 50) << "rows of 32x32x3 and their activations must show";
  EXPECT_LT(two - one, 1.15 * (one - none));
  EXPECT_LT(three - two, 1.15 * (one - none));
}

}  // namespace
}  // namespace tandem::testing
