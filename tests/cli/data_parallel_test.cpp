// fit over real processes: tandem train under tandem launch, and a program with model.fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "run_tandem.h"

namespace tandem::testing {
namespace {

const std::string kCommand = TANDEM_COMMAND;
const std::string kProgram = TANDEM_DATA_PARALLEL;

// What follows `begin` in the line that begins with it.
std::string rest_of_line(const std::string& text, const std::string& begin) {
  for (const auto& line : lines_of(text)) {
    if (line.starts_with(begin)) return line.substr(begin.size());
  }
  return "no line with " + begin + " in: " + text;
}

int64_t lines_with(const std::string& text, const std::string& part) {
  const auto lines = lines_of(text);
  return std::count_if(lines.begin(), lines.end(), [&](const auto& l) { return l.find(part) != std::string::npos; });
}

class DataParallelTraining : public ::testing::Test {
 protected:
  // Two short epochs with a short last batch, augmented, under `tandem launch -n processes`; alone where that is "".
  Ended train(const std::string& processes, const Arguments& more) const {
    Arguments arguments{"train", "cnn",          "--data", "digits", "--epochs", "2",         "--steps",
                        "3",     "--batch-size", "17",     "--seed", "3",        "--augment", "shift=0.1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (!processes.empty()) arguments.insert(arguments.begin(), {"launch", "-n", processes, "--", kCommand});
    return run_tandem(arguments, folder_.path());
  }

  TemporaryFolder folder_;
};

TEST_F(DataParallelTraining, PrintsTheDigestOfOneProcess) {
  const auto one = train("", {"--fixed-order", "4"});
  ASSERT_EQ(one.status, 0) << one.err;
  const auto want = rest_of_line(one.out, "SHA-256 of the weights: ");
  EXPECT_EQ(want.size(), 64U);
  for (const auto& [processes, devices] : {std::pair("2", "auto"), std::pair("2", "cpu*2"), std::pair("4", "auto")}) {
    const auto several = train(processes, {"--fixed-order", "4", "--devices", devices});
    ASSERT_EQ(several.status, 0) << several.err;
    EXPECT_EQ(rest_of_line(several.out, "[0] SHA-256 of the weights: "), want) << processes << " x " << devices;
    EXPECT_EQ(lines_with(several.out, "SHA-256"), 1);
    EXPECT_EQ(lines_with(several.out, "[1] "), 0) << several.out;
  }
}

TEST_F(DataParallelTraining, OneWritesAndSaysWhereItRuns) {
  const auto ended = train("2", {"--output", "p.png", "--history", "h.csv", "--save", "m.keras"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("[0] [INFO] training on cpu:0 in each of 2 processes ("), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("): 9 rows here of each batch of 17, 3 steps an epoch"), std::string::npos) << ended.out;
  for (const std::string file : {"p.png", "h.csv", "m.keras"}) {
    EXPECT_EQ(lines_with(ended.out, "wrote " + file), 1) << ended.out;
    EXPECT_TRUE(std::filesystem::exists(folder_.file(file)));
  }
  const Arguments evaluate{"evaluate", "m.keras"};
  const auto alone = run_tandem(evaluate, folder_.path());
  auto launched = evaluate;
  launched.insert(launched.begin(), {"launch", "-n", "2", "--", kCommand});
  const auto together = run_tandem(launched, folder_.path());
  ASSERT_EQ(together.status, 0) << together.err;
  EXPECT_EQ(rest_of_line(together.out, "[0] accuracy: "), rest_of_line(alone.out, "accuracy: "));
  EXPECT_EQ(lines_with(together.out, "accuracy: "), 1);
}

TEST_F(DataParallelTraining, AProgramWithFitGivesTheSameInOneProcessAndInTwo) {
  const auto one = run_tandem({"launch", "-n", "1", "--", kProgram}, folder_.path());
  ASSERT_EQ(one.status, 0) << one.err;
  const auto file = read_file(folder_.file("epochs.csv"));
  const auto figures = rest_of_line(one.out, "[0] rank 0 of 1: "), weights = rest_of_line(one.out, "[0] weights ");
  EXPECT_EQ(weights.size(), 64U);
  for (const std::string backend : {"auto", "gloo"}) {
    const auto two = run_tandem({"launch", "-n", "2", "--", kProgram, backend}, folder_.path());
    ASSERT_EQ(two.status, 0) << two.err;
    for (const std::string rank : {"0", "1"}) {
      EXPECT_EQ(rest_of_line(two.out, "[" + rank + "] rank " + rank + " of 2: "), figures) << backend;
      EXPECT_EQ(rest_of_line(two.out, "[" + rank + "] weights "), weights) << backend;
    }
  }
  EXPECT_EQ(read_file(folder_.file("epochs.csv")), file) << "written by one of them";
  EXPECT_TRUE(std::filesystem::exists(folder_.file("digits-3.weights.h5")));
}

TEST_F(DataParallelTraining, ASignalEndsAllAfterTheSameStepAndSaves) {
  Running running({"launch", "-n", "2", "--", kCommand, "train", "cnn", "--epochs", "100000", "--steps", "2",
                   "--batch-size", "16", "--verbose", "2", "--save", "m.weights.h5"},
                  folder_.path());
  running.await_output("Epoch 2/100000");
  running.send(SIGINT);
  const auto ended = running.wait();
  EXPECT_EQ(ended.status, 130) << ended.err;
  EXPECT_EQ(lines_with(ended.err, "interrupted: training ends after this step"), 2) << ended.err;
  EXPECT_EQ(lines_with(ended.err, "rank"), 0) << ended.err;
  EXPECT_TRUE(std::filesystem::exists(folder_.file("m.weights.h5")));
}

TEST_F(DataParallelTraining, ALostRankEndsTheOthersAndIsNamed) {
  Running running({"launch", "-n", "2", "--", "sh", "-c",
                   "echo $$ > pid$RANK; exec \"" + kCommand + "\" train cnn --epochs 100000 --steps 2 --verbose 2"},
                  folder_.path());
  running.await_output("Epoch 2/100000");
  const auto begin = std::chrono::steady_clock::now();
  ::kill(pid_in(folder_.file("pid1")), SIGKILL);
  const auto ended = running.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_EQ(ended.status, 128 + SIGKILL);
  const auto line = rest_of_line(ended.err, "[0] tandem: fit, step ");
  EXPECT_NE(line.find("rank 1 is lost; it last reported: "), std::string::npos) << ended.err;
}

TEST_F(DataParallelTraining, OptionsThatDiffer) {
  const auto ended = run_tandem(
      {"launch", "-n", "2", "--", "sh", "-c", "exec \"" + kCommand + "\" train cnn --steps 1 --batch-size 1$RANK"},
      folder_.path());
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.err.find("[0] tandem: fit: all ranks must ask for the same, but rank 1 has batches of 11 "
                           "and rank 0 has batches of 10\n"),
            std::string::npos)
      << ended.err;
}

}  // namespace
}  // namespace tandem::testing
