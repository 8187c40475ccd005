// Pipelines over real processes: tandem train under tandem launch gives what one process with as many devices gives.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>

#include "run_tandem.h"

namespace tandem::testing {
namespace {

const std::string kTandem = TANDEM_COMMAND;

class LaunchedPipeline : public ::testing::Test {
 protected:
  // Two short epochs with a short last batch; what was written of them, and how the file does.
  struct Trained {
    std::string history, evaluation;
  };
  Trained train(const std::string& processes, const Arguments& more) const {
    Arguments arguments{"train",
                        "mlp",
                        "--data",
                        "digits",
                        "--epochs",
                        "2",
                        "--steps",
                        "3",
                        "--batch-size",
                        "17",
                        "--seed",
                        "3",
                        "--micro-batches",
                        "2",
                        "--threads-per-device",
                        "1",
                        "--history",
                        "h.csv",
                        "--save",
                        "m.keras"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (!processes.empty()) arguments.insert(arguments.begin(), {"launch", "-n", processes, "--", kTandem});
    std::filesystem::remove(folder_.file("h.csv"));
    const auto ended = run_tandem(arguments, folder_.path());
    EXPECT_EQ(ended.status, 0) << ended.err;
    const auto evaluated = run_tandem({"evaluate", "m.keras", "--devices", "cpu:0"}, folder_.path());
    EXPECT_EQ(evaluated.status, 0) << evaluated.err;
    return {read_file(folder_.file("h.csv")), evaluated.out};
  }

  TemporaryFolder folder_;
};

TEST_F(LaunchedPipeline, StagesInProcesses) {
  const auto one = train("", {"--strategy", "pipeline", "--devices", "cpu*2"});
  EXPECT_NE(one.history.find("accuracy"), std::string::npos);
  const auto two = train("2", {"--strategy", "pipeline"});
  EXPECT_EQ(two.history, one.history);
  EXPECT_EQ(two.evaluation, one.evaluation);
  const auto staged =
      run_tandem({"launch", "-n", "2", "--", kTandem, "evaluate", "m.keras", "--strategy", "pipeline"}, folder_.path());
  ASSERT_EQ(staged.status, 0) << staged.err;
  const auto accuracy = two.evaluation.substr(two.evaluation.find("accuracy: "));
  EXPECT_NE(staged.out.find("[0] " + accuracy.substr(0, accuracy.find('\n'))), std::string::npos) << staged.out;
}

TEST_F(LaunchedPipeline, ReplicasOfStagesInProcesses) {
  const auto one = train("", {"--devices", "cpu*4", "--mesh", "data=2,pipe=2"});
  const auto four = train("4", {"--mesh", "data=2,pipe=2"});
  EXPECT_EQ(four.history, one.history);
  EXPECT_EQ(four.evaluation, one.evaluation);
  const auto two = train("2", {"--devices", "cpu*2", "--mesh", "data=2,pipe=2"});
  EXPECT_EQ(two.history, one.history);
}

TEST_F(LaunchedPipeline, ALostStageEndsTheOthersAndIsNamed) {
  Running running({"launch", "-n", "2", "--", "sh", "-c",
                   "echo $$ > pid$RANK; exec \"" + kTandem +
                       "\" train mlp --strategy pipeline --epochs 100000 --steps 2 --verbose 2"},
                  folder_.path());
  running.await_output("Epoch 2/100000");
  const auto begin = std::chrono::steady_clock::now();
  ::kill(pid_in(folder_.file("pid1")), SIGKILL);
  const auto ended = running.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_EQ(ended.status, 128 + SIGKILL);
  EXPECT_NE(ended.err.find("[0] tandem: fit, step "), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("rank 1 is lost; it last reported: "), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace tandem::testing
