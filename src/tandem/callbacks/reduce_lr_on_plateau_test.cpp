// What ReduceLROnPlateau decides is compared with Keras in tests/conformance; here its messages and limits.
#include "tandem/callbacks/reduce_lr_on_plateau.h"

#include <gtest/gtest.h>

#include <limits>

#include "tandem/callbacks/fake_model_test.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using callbacks::ReduceLROnPlateau;
using testing::message_of;

TEST(ReduceLROnPlateau, HalvesOnceAfterTheSecondOfTwoEqualEpochs) {
  FakeModel model(0.1);
  const testing::CapturedLog log;
  const auto logs = train(*ReduceLROnPlateau({.factor = 0.5, .patience = 1, .verbose = 1}).object(), model,
                          epochs_with("val_loss", {1, 1}));
  EXPECT_EQ(model.rate, 0.05);
  EXPECT_EQ(logs[0]["learning_rate"], 0.1);
  EXPECT_EQ(logs[1]["learning_rate"], 0.1) << "the rate that the epoch was trained with";
  EXPECT_EQ(log.infos(), std::vector<std::string>{"Epoch 2: ReduceLROnPlateau reducing learning rate to 0.05."});
}

TEST(ReduceLROnPlateau, StaysAtTheLowestRate) {
  FakeModel model(0.1);
  const testing::CapturedLog log;
  train(*ReduceLROnPlateau({.factor = 0.1, .patience = 1, .verbose = 1, .min_lr = 0.02}).object(), model,
        epochs_with("val_loss", {1, 1, 1, 1}));
  EXPECT_EQ(model.rate, 0.02);
  EXPECT_EQ(log.infos().size(), 1U);
}

TEST(ReduceLROnPlateau, RefusesOptionsOutOfRange) {
  EXPECT_EQ(message_of([] { ReduceLROnPlateau({.factor = 1}); }), "ReduceLROnPlateau: factor must be in [0, 1), got 1");
  EXPECT_EQ(message_of([] { ReduceLROnPlateau({.factor = std::numeric_limits<double>::quiet_NaN()}); }),
            "ReduceLROnPlateau: factor must be in [0, 1), got nan");
  EXPECT_EQ(message_of([] { ReduceLROnPlateau({.patience = -1}); }),
            "ReduceLROnPlateau: patience must not be negative, got -1");
  EXPECT_EQ(message_of([] { ReduceLROnPlateau({.cooldown = -1}); }),
            "ReduceLROnPlateau: cooldown must not be negative, got -1");
  EXPECT_EQ(message_of([] { ReduceLROnPlateau({.min_lr = -0.5}); }),
            "ReduceLROnPlateau: min_lr must not be negative, got -0.5");
  FakeModel model;
  EXPECT_NE(message_of([&] { train(*ReduceLROnPlateau({.monitor = "f1"}).object(), model, {}); }).find("mode auto"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
