// A training of a step or two on made-up images: what is said and what is written.
#include <gtest/gtest.h>

#include <cmath>

#include "made_up_images.h"
#include "run_tandem.h"
#include "tandem/core/config.h"

namespace tandem::testing {
namespace {

class Train : public ::testing::Test {
 protected:
  void SetUp() override { MadeUpImages().write(folder_.path()); }

  Ended train(Arguments flags) {
    flags.insert(flags.begin(), {"train", "minigooglenet", "--data", "cifar10:.", "--epochs", "1"});
    return run_tandem(flags, folder_.path());
  }
  // The history of a training, which must have worked.
  std::string history(Arguments flags) {
    flags.insert(flags.end(), {"--history", "h.json"});
    const auto ended = train(flags);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return read_file(folder_.file("h.json"));
  }

  TemporaryFolder folder_;
};

TEST_F(Train, FirstLineNamesDevicesAndTheirRows) {
  const auto ended = train({"--steps", "1", "--batch-size", "9", "--devices", "cpu*2"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const auto line = first_line(ended.out);
  for (const char* part : {"cpu:0", "cpu:1", "5 + 4 rows", "batch of 9"}) {
    EXPECT_NE(line.find(part), std::string::npos) << part << " in: " << line;
  }
}

TEST_F(Train, WritesPlotAndHistory) {
  const auto ended =
      train({"--steps", "1", "--batch-size", "8", "--devices", "cpu*2", "--output", "plot.png", "--history", "h.json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("[INFO] mean image subtracted\n"), std::string::npos) << ended.out;  // the recipe's
  const auto plot = read_file(folder_.file("plot.png"));
  EXPECT_TRUE(plot.starts_with("\x89PNG\r\n\x1a\n"));
  EXPECT_NE(plot.find("IEND"), std::string::npos);
  const auto history = Config::from_json(read_file(folder_.file("h.json")));
  Arguments keys;
  for (const auto& [key, values] : history.as_object()) {
    keys.push_back(key);
    EXPECT_EQ(values.as_list().size(), 1u) << key;
    EXPECT_TRUE(std::isfinite(values.as_list().at(0).as_double())) << key;
  }
  EXPECT_EQ(keys, (Arguments{"accuracy", "loss", "val_accuracy", "val_loss"}));
  for (const char* file : {"plot.png", "h.json"})
    EXPECT_NE(ended.out.find(std::string("wrote ") + file), std::string::npos) << file;
}

TEST(TrainAutoencoder, OnTheDigitsThatAreBuiltInLearnsToGiveThemBack) {
  const TemporaryFolder folder;
  for (const char* name : {"autoencoder", "conv_autoencoder"}) {
    const auto ended = run_tandem({"train", name, "--epochs", "2", "--seed", "1", "--history", "h.json", "--save",
                                   "a.keras", "--devices", "cpu*2"},
                                  folder.path());
    ASSERT_EQ(ended.status, 0) << ended.err;
    const auto history = Config::from_json(read_file(folder.file("h.json")));
    EXPECT_FALSE(history.contains("accuracy"));
    const auto& losses = history.at("loss").as_list();
    EXPECT_LT(losses.at(1).as_double(), losses.at(0).as_double());
    // Targets are the images as the model gets them, from 0 to 1: grey everywhere is at most a quarter off.
    EXPECT_LT(history.at("val_loss").as_list().at(1).as_double(), 0.25) << name;
  }
  const auto evaluated = run_tandem({"evaluate", "conv_autoencoder", "--weights", "a.keras", "--json"}, folder.path());
  ASSERT_EQ(evaluated.status, 0) << evaluated.err;
  EXPECT_LT(Config::from_json(evaluated.out).at("loss").as_double(), 0.25);
}

TEST(TrainTransformer, OnTheDigitsThatAreBuiltIn) {
  const TemporaryFolder folder;
  const auto ended =
      run_tandem({"train", "transformer", "--epochs", "1", "--steps", "3", "--batch-size", "16", "--history", "h.json"},
                 folder.path());
  ASSERT_EQ(ended.status, 0) << ended.err;
  const auto history = Config::from_json(read_file(folder.file("h.json")));
  EXPECT_TRUE(std::isfinite(history.at("loss").as_list().at(0).as_double()));
}

TEST_F(Train, SeedMakesItRepeatable) {
  const Arguments flags{"--steps", "2", "--batch-size", "8", "--devices", "cpu*2", "--seed"};
  const auto with_seed = [&](const char* seed) {
    auto all = flags;
    all.push_back(seed);
    return history(all);
  };
  const auto first = with_seed("3");
  EXPECT_EQ(with_seed("3"), first);
  EXPECT_NE(with_seed("4"), first);
}

// The recipe's parts are each switched off or replaced.
TEST_F(Train, FlagsReplaceTheRecipe) {
  const auto ended = train({"--steps", "1", "--batch-size", "8", "--loss", "sparse_categorical_crossentropy",
                            "--metrics", "sparse_categorical_accuracy,accuracy", "--no-mean-image", "--augment", "none",
                            "--no-shuffle", "--schedule", "none", "--momentum", "0", "--history", "h.csv"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out.find("mean image"), std::string::npos) << ended.out;
  EXPECT_EQ(lines_of(read_file(folder_.file("h.csv"))).at(0),
            "epoch,accuracy,loss,sparse_categorical_accuracy,val_accuracy,val_loss,val_sparse_categorical_accuracy");
}

TEST_F(Train, AccumulatesBatchesToAnUpdate) {
  const auto ended = train({"--batch-size", "8", "--accumulate", "2"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(first_line(ended.out).find("3 steps an epoch, an update every 2 steps"), std::string::npos) << ended.out;
  expect_refused({"train", "cnn", "--accumulate", "0"}, 2,
                 "--accumulate: must be a whole number of at least 1, got '0'");
}

TEST_F(Train, EveryAugmentationByName) {
  const auto ended = train({"--steps", "1", "--batch-size", "8", "--augment",
                            "shift=0.1,rotation=20,shear=10,zoom=0.5:1.5,flip,vflip,zoom=0.1,brightness=0.8:1.2,"
                            "channel=20,crop=32:4,cutout=8,fill=reflect"});
  EXPECT_EQ(ended.status, 0) << ended.err;
}

// Two steps: at a rate of 0 the second sees the weights that the first saw, so that the mean of the losses differs.
TEST_F(Train, LearningRateReachesTheOptimizer) {
  const auto losses = [&](const char* rate) {
    const auto text = history({"--batch-size", "12", "--seed", "1", "--augment", "none", "--learning-rate", rate});
    return Config::from_json(text).at("loss").as_list().at(0).as_double();
  };
  EXPECT_NE(losses("0"), losses("0.1"));
}

// Every optimizer of the catalog under every schedule, each named once.
TEST_F(Train, OptimizersAndSchedulesByName) {
  const std::vector<std::pair<const char*, const char*>> pairs{{"sgd", "polynomial"},       {"rmsprop", "cosine"},
                                                               {"adam", "exponential"},     {"adamw", "piecewise"},
                                                               {"adagrad", "inverse-time"}, {"lion", "none"}};
  for (const auto& [optimizer, schedule] : pairs) {
    const auto ended = train({"--steps", "2", "--batch-size", "4", "--optimizer", optimizer, "--schedule", schedule});
    EXPECT_EQ(ended.status, 0) << optimizer << ": " << ended.err;
  }
}

// The recipe's rate is SGD's; Adam begins with its own, under which the first step is 0.001 for every weight.
TEST_F(Train, AnotherOptimizerThanTheRecipesHasItsOwnRate) {
  const Arguments flags{"--steps", "2",           "--batch-size", "4",          "--seed",
                        "1",       "--optimizer", "adam",         "--schedule", "none"};
  const auto own = history(flags);
  auto named = flags;
  named.insert(named.end(), {"--learning-rate", "0.001"});
  EXPECT_EQ(history(named), own);
}

TEST_F(Train, TheOtherNetworksOfTheZoo) {
  for (const char* model : {"resnet20", "cnn"}) {
    const auto ended = run_tandem(
        {"train", model, "--data", "cifar10:.", "--epochs", "1", "--steps", "1", "--batch-size", "4"}, folder_.path());
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_NE(ended.out.find("values multiplied by 0.00392157"), std::string::npos) << ended.out;
  }
}

// 24 rows, as Keras: floor(24 * (1 - 0.4)) = 14 are left to train on.
TEST_F(Train, ValidationSplitTakesTheLastRows) {
  const auto ended = train({"--validation-split", "0.4", "--batch-size", "7"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(first_line(ended.out).find("2 steps an epoch"), std::string::npos) << ended.out;
}

// Whatever the test part holds is not seen.
TEST_F(Train, ValidationSplitReplacesTheTestPart) {
  const auto val_loss = [&] {
    const auto text = history({"--steps", "1", "--batch-size", "8", "--seed", "1", "--validation-split", "0.5"});
    return Config::from_json(text).at("val_loss").as_list().at(0).as_double();
  };
  const auto before = val_loss();
  MadeUpImages{.test = 5}.write(folder_.path());
  EXPECT_EQ(val_loss(), before);
}

TEST_F(Train, DigitsAreBuiltIn) {
  const auto ended = run_tandem(
      {"train", "minigooglenet", "--epochs", "1", "--steps", "1", "--batch-size", "8", "--validation-split", "0.005"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("[INFO] images 8x8x1 resized to 32x32x3"), std::string::npos) << ended.out;
}

TEST(TrainWithServers, BackupWorkersAreNamedAndWhatTheyMakeInVainIsCounted) {
  const Arguments base{"train", "mlp",          "--devices", "cpu*3",    "--strategy", "parameter-server", "--steps",
                       "6",     "--batch-size", "8",         "--epochs", "1",          "--verbose",        "2"};
  const auto with = [&](Arguments more) {
    more.insert(more.begin(), base.begin(), base.end());
    return more;
  };
  const auto ended = run_tandem(with({"--backup-workers", "1"}));
  ASSERT_EQ(ended.status, 0) << ended.err;
  for (const char* part : {"batches of 8, in 2 parts, go to whoever is free, 6 steps an epoch",
                           " gradients of 0 updates; ", " rows came too late and were dropped\n"})
    EXPECT_NE(ended.out.find(part), std::string::npos) << part << " in: " << ended.out;
  EXPECT_EQ(run_tandem(with({"--backup-workers", "0"})).out.find("came too late"), std::string::npos);
  expect_refused(with({"--backup-workers", "3"}), 2,
                 "ParameterServer: backup_workers must be fewer than the 3 workers, got 3");
  expect_refused(with({"--backup-workers", "1", "--server-mode", "async"}), 2,
                 "ParameterServer: backup_workers must be set in mode sync alone, got mode async");
  expect_refused(
      {"train", "mlp", "--backup-workers", "1"}, 2,
      "--servers, --server-mode, --staleness, --backup-workers and --server-sync need --strategy parameter-server");
}

}  // namespace
}  // namespace tandem::testing
