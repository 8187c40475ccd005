// What EarlyStopping decides is compared with Keras in tests/conformance; here its messages, limits and reuse.
#include "tandem/callbacks/early_stopping.h"

#include <gtest/gtest.h>

#include <limits>

#include "tandem/callbacks/fake_model_test.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using callbacks::EarlyStopping;
using testing::message_of;

TEST(EarlyStopping, RestoresTheBestWeightsOfATrainingThatRanToItsEnd) {
  FakeModel model;
  const EarlyStopping stopping({.patience = 5, .restore_best_weights = true});
  EXPECT_EQ(train(*stopping.object(), model, epochs_with("val_loss", {3, 1, 2})).size(), 3U);
  EXPECT_EQ(model.weight, 1);
  EXPECT_EQ(stopping.best_epoch(), 1);
  EXPECT_EQ(stopping.best(), 1);
  EXPECT_EQ(stopping.stopped_epoch(), 0);
}

TEST(EarlyStopping, SaysWhatItDoesAndBeginsAnewInTheNextTraining) {
  FakeModel model;
  const EarlyStopping stopping({.patience = 1, .verbose = 1, .restore_best_weights = true});
  for (int training = 0; training < 2; ++training) {
    const testing::CapturedLog log;
    EXPECT_EQ(train(*stopping.object(), model, epochs_with("val_loss", {3, 1, 2, 0})).size(), 3U);
    EXPECT_EQ(stopping.stopped_epoch(), 2);
    EXPECT_EQ(model.weight, 1);
    EXPECT_EQ(log.infos(), (std::vector<std::string>{"Epoch 3: early stopping",
                                                     "Restoring model weights from the end of the best epoch: 2."}));
  }
}

TEST(EarlyStopping, WarnsWhereTheFigureIsMissing) {
  FakeModel model;
  const testing::CapturedLog log;
  const EarlyStopping stopping({.restore_best_weights = true});
  EXPECT_EQ(train(*stopping.object(), model, epochs_with("loss", {3, 1, 2})).size(), 3U);
  EXPECT_EQ(model.weight, 2) << "no best weights were seen";
  EXPECT_EQ(stopping.best(), std::nullopt);
  EXPECT_EQ(log.warnings(), std::vector<std::string>{"EarlyStopping: 'val_loss' is not in the logs of epoch 1 (loss); "
                                                     "such epochs count for nothing"});
}

TEST(EarlyStopping, RefusesOptionsOutOfRange) {
  EXPECT_EQ(message_of([] { EarlyStopping({.patience = -1}); }),
            "EarlyStopping: patience must not be negative, got -1");
  EXPECT_EQ(message_of([] { EarlyStopping({.start_from_epoch = -2}); }),
            "EarlyStopping: start_from_epoch must not be negative, got -2");
  EXPECT_EQ(message_of([] { EarlyStopping({.mode = "up"}); }),
            "EarlyStopping: mode must be auto, min or max, got 'up'");
  EXPECT_EQ(message_of([] { EarlyStopping({.baseline = std::numeric_limits<double>::quiet_NaN()}); }),
            "EarlyStopping: baseline must be a number, got nan");
  FakeModel model;
  EXPECT_NE(message_of([&] { train(*EarlyStopping({.monitor = "f1"}).object(), model, {}); }).find("mode auto"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
