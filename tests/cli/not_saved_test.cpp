// Results that cannot be written: exit status 5, found before the training where that can be.
#include <gtest/gtest.h>

#include <filesystem>

#include "made_up_images.h"
#include "run_tandem.h"

namespace tandem::testing {
namespace {

TEST(NotSaved, IsFoundBeforeTheTraining) {
  expect_refused({"train", "minigooglenet", "--output", "nowhere/plot.png"}, 5,
                 "nowhere/plot.png: the folder 'nowhere' does not exist");
  expect_refused({"train", "minigooglenet", "--history", "nowhere/h.json"}, 5,
                 "nowhere/h.json: the folder 'nowhere' does not exist");
  expect_refused({"serve-parameters", "--address", "127.0.0.1:0", "--save", "/dev/null/saved"}, 5,
                 "/dev/null/saved: cannot be made: Not a directory");
}

TEST(NotSaved, UnknownEndingIsUsage) {
  expect_refused({"train", "minigooglenet", "--output", "plot.gif"}, 2,
                 "a plot's file name must end in .png, .svg or .pdf; received 'plot.gif'");
  expect_refused({"train", "minigooglenet", "--history", "h.txt"}, 2,
                 "--history: the file name must end in .json or .csv, got 'h.txt'");
}

// A disk that fills up during the training; what can be saved is.
TEST(NotSaved, AfterTheTraining) {
  const TemporaryFolder folder;
  MadeUpImages().write(folder.path());
  std::filesystem::create_symlink("/dev/full", folder.file("full.json"));
  const auto ended = run_tandem({"train", "minigooglenet", "--data", "cifar10:.", "--batch-size", "8", "--steps", "1",
                                 "--epochs", "1", "--history", "full.json", "--output", "plot.svg"},
                                folder.path());
  EXPECT_EQ(ended.status, 5);
  EXPECT_EQ(ended.err, "tandem: full.json: cannot be written: No space left on device\n");
  EXPECT_NE(read_file(folder.file("plot.svg")).find("</svg>"), std::string::npos);
}

TEST(NotSaved, StandardOutputThatIsFull) {
  const auto ended = run_tandem({"info"}, "/", "/dev/full");
  EXPECT_EQ(ended.status, 5);
  EXPECT_EQ(ended.err, "tandem: standard output could not be written\n");
}

}  // namespace
}  // namespace tandem::testing
