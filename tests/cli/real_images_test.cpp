// The main job on real images, cut short after three steps.
#include <gtest/gtest.h>

#include <cmath>

#include "run_tandem.h"
#include "tandem/core/config.h"

namespace tandem::testing {
namespace {

TEST(RealImages, MiniGoogLeNetTrainsOnTwoDevices) {
  const TemporaryFolder folder;
  const auto ended =
      run_tandem({"train", "minigooglenet", "--data", "cifar10:" TANDEM_CIFAR10, "--devices", "cpu*2", "--steps", "3",
                  "--epochs", "1", "--batch-size", "32", "--seed", "1", "--history", "h.json", "--output", "plot.png"},
                 folder.path());
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_NE(first_line(ended.out).find("16 + 16 rows"), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find("resized"), std::string::npos) << ended.out;
  const auto history = Config::from_json(read_file(folder.file("h.json")));
  for (const char* key : {"loss", "val_loss"}) {
    const double loss = history.at(key).as_list().at(0).as_double();
    EXPECT_GT(loss, 0) << key;
    EXPECT_LT(loss, 2 * std::log(10)) << key;  // twice that of a guess: nothing has run away
  }
  for (const char* key : {"accuracy", "val_accuracy"}) {
    const double accuracy = history.at(key).as_list().at(0).as_double();
    EXPECT_TRUE(accuracy >= 0 && accuracy <= 1) << key << " " << accuracy;
  }
  EXPECT_TRUE(read_file(folder.file("plot.png")).starts_with("\x89PNG"));
}

}  // namespace
}  // namespace tandem::testing
