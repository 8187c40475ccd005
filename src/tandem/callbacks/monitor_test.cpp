#include "tandem/callbacks/monitor.h"

#include <gtest/gtest.h>

#include <limits>

#include "tandem/callbacks/callback.h"
#include "tandem/callbacks/fake_model_test.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Monitor begun(const std::string& name, const std::string& mode, double min_delta = 0) {
  FakeModel model;
  model.directions = {{"auc", "max"}, {"mae", "min"}};
  Monitor monitor("Test", name, mode, min_delta);
  monitor.begin(model);
  return monitor;
}

TEST(Monitor, DirectionFromTheModeOrTheCompiledMetric) {
  for (const char* name : {"loss", "val_loss", "mae", "val_mae"}) {
    EXPECT_TRUE(begun(name, "auto").improves(0.5, 0.6)) << name;
    EXPECT_FALSE(begun(name, "auto").improves(0.6, 0.5)) << name;
    EXPECT_TRUE(begun(name, "max").improves(0.6, 0.5)) << name;
  }
  EXPECT_TRUE(begun("val_auc", "auto").improves(0.6, 0.5));
  EXPECT_FALSE(begun("val_auc", "auto").improves(0.5, 0.6));
  EXPECT_TRUE(begun("anything", "min").improves(0.5, 0.6));
  EXPECT_EQ(message_of([] { begun("val_f1", "auto"); }),
            "Test: mode auto must find 'val_f1' among the compiled metrics to know which way it gets better, and does "
            "not; set mode to min or max");
}

TEST(Monitor, ImprovementsExceedMinDeltaInFloat32) {
  EXPECT_FALSE(begun("loss", "min").improves(0.5, 0.5));
  EXPECT_TRUE(begun("loss", "min").improves(0.5, std::nullopt));
  EXPECT_TRUE(begun("loss", "min").improves(kNaN, std::nullopt)) << "as in Keras the first figure is the best";
  EXPECT_FALSE(begun("loss", "min").improves(kNaN, 0.5));
  EXPECT_FALSE(begun("loss", "min").improves(0.5, kNaN));
  EXPECT_TRUE(begun("loss", "min", 0.1).improves(0.3, 0.5));
  EXPECT_TRUE(begun("loss", "min", -0.1).improves(0.3, 0.5)) << "the sign does not matter";
  EXPECT_FALSE(begun("loss", "min", 0.1).improves(0.45, 0.5));
  EXPECT_FALSE(begun("loss", "max", 0.1).improves(0.55, 0.5));
  ASSERT_LT(0.7 + 0.1, 0.8) << "in float64";
  EXPECT_FALSE(begun("loss", "min", 0.1).improves(0.7, 0.8));
}

TEST(Monitor, AMissingFigureIsOneWarningATraining) {
  const testing::CapturedLog log;
  auto monitor = begun("val_loss", "auto");
  EXPECT_EQ(monitor.value(0, Logs({{"val_loss", 2}}), "it goes on"), 2);
  EXPECT_EQ(monitor.value(1, Logs({{"loss", 1}, {"mae", 1}}), "it goes on"), std::nullopt);
  EXPECT_EQ(monitor.value(2, Logs(), "it goes on"), std::nullopt);
  EXPECT_EQ(log.warnings(),
            std::vector<std::string>{"Test: 'val_loss' is not in the logs of epoch 2 (loss, mae); it goes on"});
}

TEST(Monitor, RefusesOtherModes) {
  EXPECT_EQ(message_of([] { Monitor("Test", "loss", "mim"); }), "Test: mode must be auto, min or max, got 'mim'");
  EXPECT_EQ(message_of([] { Monitor("Test", "loss", "min", kNaN); }),
            "Test: min_delta must be a finite number, got nan");
}

}  // namespace
}  // namespace tandem
