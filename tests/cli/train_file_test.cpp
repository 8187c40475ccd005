// Models from files: what they were compiled with holds, and training goes on from them
// (tests/fixtures/resume_cases.py).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "made_up_images.h"
#include "run_tandem.h"
#include "tandem/core/config.h"
#include "tandem/testing/npy.h"

namespace tandem::testing {
namespace {

namespace fs = std::filesystem;

std::string keras_file(const std::string& name) { return fixture("keras/networks/" + name); }
Config read_json(const std::string& path) { return Config::from_json(file_bytes(path)); }

class TrainFile : public ::testing::Test {
 protected:
  Ended train(const std::string& model, Arguments flags) {
    const Arguments first{"train",
                          model,
                          "--data",
                          "npy:" + keras_file("resume/x.npy") + "," + keras_file("resume/y.npy"),
                          "--no-shuffle",
                          "--batch-size",
                          "8",
                          "--history",
                          "h.json"};
    flags.insert(flags.begin(), first.begin(), first.end());
    return run_tandem(flags, folder_.path());
  }
  // A figure of every epoch; the training must have worked.
  std::vector<double> figures(const std::string& model, const Arguments& flags, const char* name = "loss") {
    const auto ended = train(model, flags);
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    std::vector<double> values;
    const Config history = read_json(folder_.file("h.json"));
    for (const auto& value : history.at(name).as_list()) values.push_back(value.as_double());
    return values;
  }
  std::vector<std::string> keys() {
    std::vector<std::string> names;
    const Config history = read_json(folder_.file("h.json"));
    for (const auto& [name, values] : history.as_object()) names.push_back(name);
    return names;
  }

  TemporaryFolder folder_;
};

TEST_F(TrainFile, GoesOnAsKerasDoes) {
  const Config losses = read_json(keras_file("resume/case.json")).at("losses");
  for (const char* name : {"adam", "rmsprop_all", "adam_schedule"}) {
    const auto got = figures(keras_file("resume/") + name + ".keras", {"--epochs", "6", "--verbose", "0"});
    const auto& want = losses.at(name).as_list();
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i].as_double(), 1e-4) << name << i;
  }
  EXPECT_EQ(keys(), (Arguments{"loss", "mae"}));
}

TEST_F(TrainFile, TwoAndOneFromTheSavedFileEqualThree) {
  const std::string model = keras_file("resume/adam.keras");
  const auto whole = figures(model, {"--epochs", "3", "--save", "whole.keras"});
  figures(model, {"--epochs", "2", "--save", "two.keras"});
  const auto last = figures("two.keras", {"--epochs", "1", "--save", "parts.keras"});
  EXPECT_EQ(last.back(), whole.back());
  EXPECT_EQ(file_bytes(folder_.file("parts.keras")), file_bytes(folder_.file("whole.keras")));
  const auto ended = train(model, {"--epochs", "1", "--save", "w.weights.h5"});
  EXPECT_NE(ended.out.find("wrote w.weights.h5"), std::string::npos) << ended.out;
  const auto again = figures(keras_file("resume/untrained.keras"), {"--epochs", "1", "--weights", "w.weights.h5"});
  EXPECT_NEAR(again.back(), whole[1], 1e-5);
  figures(model, {"--epochs", "1", "--save", "w.safetensors"});
  EXPECT_EQ(figures(keras_file("resume/untrained.keras"), {"--epochs", "1", "--weights", "w.safetensors"}), again);
}

TEST_F(TrainFile, FlagsReplaceWhatTheFileSays) {
  const std::string model = keras_file("resume/adam.keras");
  const auto plain = figures(model, {"--epochs", "3"});
  // The state stays: only the length of the steps is another.
  EXPECT_EQ(figures(model, {"--epochs", "3", "--learning-rate", "0"})[1], plain[0]);
  EXPECT_EQ(figures(model, {"--epochs", "3", "--metrics", "mse,mae"}), plain);
  EXPECT_EQ(keys(), (Arguments{"loss", "mae", "mse"}));
  EXPECT_NE(figures(model, {"--epochs", "3", "--optimizer", "sgd"})[1], plain[1]);
  EXPECT_NEAR(figures(model, {"--epochs", "1", "--loss", "mae"})[0], figures(model, {"--epochs", "1"}, "mae")[0], 1e-5);
  figures(model, {"--epochs", "2", "--schedule", "cosine", "--validation-split", "0.25"}, "val_loss");
  const auto momentum = train(keras_file("resume/adam.keras"), {"--momentum", "0.5"});
  EXPECT_EQ(momentum.status, 2);
  EXPECT_EQ(momentum.err, "tandem: --momentum: Adam has no momentum\n");
}

TEST_F(TrainFile, SeveralOutputsAndDevices) {
  const auto file = [](const char* name) { return keras_file(std::string("files/") + name); };
  const auto ended = run_tandem(
      {"train", file("model.keras"), "--data", "npy:" + file("x.npy") + "," + file("y0.npy") + "+" + file("y1.npy"),
       "--devices", "cpu*2", "--epochs", "1", "--history", "h.json", "--save", "out.keras"},
      folder_.path());
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(keys(), (Arguments{"kind_accuracy", "kind_loss", "loss", "size_loss", "size_mae"}));
  EXPECT_TRUE(fs::exists(folder_.file("out.keras")));
}

// The mean image is the training set's, so that no other command can find it again.
TEST_F(TrainFile, TheFileOfAZooModelHoldsItsPreprocessing) {
  MadeUpImages().write(folder_.path());
  const auto ended = run_tandem({"train", "minigooglenet", "--data", "cifar10:.", "--epochs", "1", "--batch-size", "8",
                                 "--history", "h.json", "--save", "m.keras"},
                                folder_.path());
  ASSERT_EQ(ended.status, 0) << ended.err;
  const auto again = run_tandem({"evaluate", "m.keras", "--data", "cifar10:.", "--json"}, folder_.path());
  ASSERT_EQ(again.status, 0) << again.err;
  const double want = read_json(folder_.file("h.json")).at("val_loss").as_list().at(0).as_double();
  EXPECT_NEAR(Config::from_json(again.out).at("loss").as_double(), want, 1e-5 * want);
}

TEST_F(TrainFile, WhatCannotBeSavedIsFoundBeforeTheTraining) {
  const std::string model = keras_file("resume/adam.keras");
  const auto nowhere = train(model, {"--save", "nowhere/m.keras"});
  EXPECT_EQ(nowhere.status, 5);
  EXPECT_EQ(nowhere.err, "tandem: nowhere/m.keras: the folder 'nowhere' does not exist\n");
  EXPECT_FALSE(fs::exists(folder_.file("h.json")));
  const auto ending = train(model, {"--save", "m.h5"});
  EXPECT_EQ(ending.status, 2);
  EXPECT_EQ(ending.err, "tandem: --save: the file name must end in .keras, .weights.h5 or .safetensors, got 'm.h5'\n");
}

TEST_F(TrainFile, AFullDiskIsTold) {
  fs::create_symlink("/dev/full", folder_.file("full.keras"));
  const auto ended = train(keras_file("resume/adam.keras"), {"--epochs", "1", "--save", "full.keras"});
  EXPECT_EQ(ended.status, 5);
  EXPECT_EQ(ended.err, "tandem: full.keras: cannot be written: No space left on device\n");
  EXPECT_TRUE(fs::exists(folder_.file("h.json")));
}

TEST_F(TrainFile, AFileThatIsNotCompiledNeedsALoss) {
  const std::string model = fixture("keras/saving/functional/model.keras");
  const auto ended = train(model, {});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.err, "tandem: --loss: must be named, since " + model + " is not compiled\n");
}

}  // namespace
}  // namespace tandem::testing
