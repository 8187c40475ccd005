// What ModelCheckpoint decides is compared with Keras in tests/conformance; here its messages, limits and Keras 2's
// period.
#include "tandem/callbacks/model_checkpoint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tandem/callbacks/fake_model_test.h"
#include "tandem/core/error.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using callbacks::ModelCheckpoint;
using testing::message_of;

TEST(ModelCheckpoint, PeriodCountsEpochsOverTrainings) {
  FakeModel model;
  const ModelCheckpoint checkpoint("cnn-{epoch:02d}.weights.h5", {.save_weights_only = true, .period = 2});
  train(*checkpoint.object(), model, epochs_with("loss", {1, 1, 1, 1, 1}));
  EXPECT_EQ(model.files, (std::vector<std::string>{"cnn-02.weights.h5", "cnn-04.weights.h5"}));
  train(*checkpoint.object(), model, epochs_with("loss", {1}));  // its first is the sixth
  EXPECT_EQ(model.files.back(), "cnn-01.weights.h5");
}

TEST(ModelCheckpoint, SavesWholeModelsUnlessAskedForWeights) {
  FakeModel model;
  train(*ModelCheckpoint("{epoch}.keras").object(), model, epochs_with("loss", {1}));
  train(*ModelCheckpoint("best.h5", {.monitor = "loss", .save_best_only = true}).object(), model,
        epochs_with("loss", {1, 2}));
  EXPECT_EQ(model.models, (std::vector<std::string>{"1.keras", "best.h5"}));
  EXPECT_TRUE(model.files.empty());
}

TEST(ModelCheckpoint, BestIsKeptFromOneTrainingToTheNext) {
  FakeModel model;
  const testing::CapturedLog log;
  const ModelCheckpoint checkpoint(
      "best.h5", {.monitor = "loss", .verbose = 1, .save_best_only = true, .save_weights_only = true});
  train(*checkpoint.object(), model, epochs_with("loss", {0.5, 0.25}));
  train(*checkpoint.object(), model, epochs_with("loss", {0.5}));
  EXPECT_EQ(checkpoint.best(), 0.25);
  EXPECT_EQ(log.infos(),
            (std::vector<std::string>{"Epoch 1: loss improved from None to 0.50000, saving model to best.h5",
                                      "Epoch 1: finished saving model to best.h5",
                                      "Epoch 2: loss improved from 0.50000 to 0.25000, saving model to best.h5",
                                      "Epoch 2: finished saving model to best.h5",
                                      "Epoch 1: loss did not improve from 0.25000"}));
}

TEST(ModelCheckpoint, SavesAndWarnsWhereTheFigureIsMissing) {
  FakeModel model;
  const testing::CapturedLog log;
  train(*ModelCheckpoint("{epoch}.h5", {.save_best_only = true, .save_weights_only = true}).object(), model,
        epochs_with("loss", {1, 2}));
  EXPECT_EQ(model.files, (std::vector<std::string>{"1.h5", "2.h5"}));
  EXPECT_EQ(log.warnings(),
            std::vector<std::string>{
                "ModelCheckpoint: 'val_loss' is not in the logs of epoch 1 (loss); such epochs are saved"});
}

TEST(ModelCheckpoint, BatchesCountFromOne) {
  FakeModel model;
  const ModelCheckpoint checkpoint("{epoch}-{batch}-{loss:.1f}.weights.h5",
                                   {.save_weights_only = true, .save_freq = 2});
  train(*checkpoint.object(), model, epochs_with("loss", {1, 2, 3, 4}));  // of one batch each
  EXPECT_EQ(model.files, (std::vector<std::string>{"2-1-2.0.weights.h5", "4-1-4.0.weights.h5"}));
}

TEST(ModelCheckpoint, MakesFoldersOrSaysWhyNot) {
  const auto place = std::filesystem::path(::testing::TempDir()) / "model_checkpoint_test";
  std::filesystem::remove_all(place);
  FakeModel model;
  train(*ModelCheckpoint((place / "run/{epoch:03d}/w.weights.h5").string(), {.save_weights_only = true}).object(),
        model, epochs_with("loss", {1}));
  EXPECT_TRUE(std::filesystem::is_directory(place / "run/001"));
  std::ofstream(place / "file") << "x";
  EXPECT_EQ(message_of<DataError>([&] {
              train(*ModelCheckpoint((place / "file/w.h5").string(), {.save_weights_only = true}).object(), model,
                    epochs_with("loss", {1}));
            }),
            "ModelCheckpoint: folder '" + (place / "file").string() + "' cannot be made: Not a directory");
  std::filesystem::remove_all(place);
}

TEST(ModelCheckpoint, RefusesOptionsOutOfRange) {
  EXPECT_EQ(message_of([] { ModelCheckpoint("a.keras", {.save_weights_only = true}); }),
            "ModelCheckpoint: file name must end with .weights.h5 or .h5 with save_weights_only, got 'a.keras'");
  EXPECT_EQ(message_of([] { ModelCheckpoint("a.pt"); }),
            "ModelCheckpoint: file name must end with .keras or .h5, got 'a.pt'");
  EXPECT_EQ(message_of([] { ModelCheckpoint("a.keras", {.save_freq = "batch"}); }),
            "save_freq must be \"epoch\" or a number of batches, got 'batch'");
  EXPECT_EQ(message_of([] { ModelCheckpoint("a.keras", {.save_freq = 0}); }),
            "save_freq must be at least 1 batch, got 0");
  EXPECT_EQ(message_of([] { ModelCheckpoint("a.keras", {.period = 0}); }),
            "ModelCheckpoint: period must be at least 1 epoch, got 0");
  EXPECT_EQ(message_of([] { ModelCheckpoint("a.keras", {.save_freq = 5, .period = 2}); }),
            "ModelCheckpoint: period counts epochs and needs save_freq \"epoch\", got 5 batches");
  EXPECT_EQ(message_of([] { ModelCheckpoint("{epoch.keras"); }),
            "ModelCheckpoint: file name '{epoch.keras': a '{' must be closed by a '}', or doubled");
  FakeModel model;
  const auto begin = [&](bool best) {
    return message_of(
        [&] { train(*ModelCheckpoint("a.keras", {.monitor = "f1", .save_best_only = best}).object(), model, {}); });
  };
  EXPECT_NE(begin(true).find("mode auto must find 'f1'"), std::string::npos);
  EXPECT_EQ(begin(false), "nothing was thrown");
}

}  // namespace
}  // namespace tandem
