#include <gtest/gtest.h>

#include "run_tandem.h"
#include "tandem/core/config.h"

namespace tandem::testing {
namespace {

TEST(Bench, PrintsFiguresAsJson) {
  const auto ended = run_tandem(
      {"bench", "train", "minigooglenet", "--batch-size", "4", "--steps", "2", "--devices", "cpu*2", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  // On a busy machine two devices may really be slower.
  if (!ended.err.empty()) {
    EXPECT_EQ(lines_of(ended.err).size(), 1u) << ended.err;
    EXPECT_TRUE(ended.err.starts_with("tandem: warning: a step takes ")) << ended.err;
  }
  EXPECT_EQ(lines_of(ended.out).size(), 1u) << ended.out;
  const auto figures = Config::from_json(ended.out);
  EXPECT_EQ(figures.at("model").as_string(), "minigooglenet");
  EXPECT_EQ(figures.at("devices").as_string(), "cpu:0,cpu:1");
  EXPECT_EQ(figures.at("batch_size").as_int(), 4);
  EXPECT_EQ(figures.at("precision").as_string(), "float32");
  EXPECT_EQ(figures.at("steps").as_int(), 2);
  const double best = figures.at("images_per_second_best").as_double();
  const double median = figures.at("images_per_second_median").as_double();
  EXPECT_GT(median, 0);
  EXPECT_GE(best, median);
  EXPECT_NEAR(figures.at("step_ms").as_double(), 1e3 * 4 / median, 1e-6 * 1e3 * 4 / median);
  EXPECT_GT(figures.at("peak_rss_mb").as_double(), 1.7 * 4 * 2);  // weights of two replicas at least
}

}  // namespace
}  // namespace tandem::testing
