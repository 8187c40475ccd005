// A training in several processes, by the example that a user would begin with.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <set>

#include "run_tandem.h"

namespace tandem::testing {
namespace {

const std::string kProgram = TANDEM_SIMPLE_MODEL, kUneven = TANDEM_UNEVEN_PROGRAM;

// "loss 1.2345" of each epoch's line.
std::vector<double> losses(const std::string& text) {
  std::vector<double> found;
  for (const auto& line : lines_of(text)) {
    const auto at = line.find("loss ");
    if (at != std::string::npos) found.push_back(std::strtod(line.c_str() + at + 5, nullptr));
  }
  return found;
}

TEST(Processes, TrainAsOneDoes) {
  const TemporaryFolder folder;
  const auto one = run_tandem({"launch", "-n", "1", "--", kProgram}, folder.path());
  ASSERT_EQ(one.status, 0) << one.err;
  const auto want = losses(one.out);
  ASSERT_EQ(want.size(), 5U) << one.out;
  EXPECT_LT(want.back(), want.front());
  for (const char* n : {"2", "4"}) {
    const auto several = run_tandem({"launch", "-n", n, "--", kProgram}, folder.path());
    ASSERT_EQ(several.status, 0) << several.err;
    const auto got = losses(several.out);
    ASSERT_EQ(got.size(), want.size()) << several.out;
    for (std::size_t i = 0; i < want.size(); ++i)
      EXPECT_NEAR(got[i], want[i], 2e-4) << n << " processes, epoch " << i + 1;
  }
}

TEST(Processes, ALostRankEndsTheOthersAndIsNamed) {  // U33
  const TemporaryFolder folder;
  Running running({"launch", "-n", "3", "--", "sh", "-c", "echo $$ > pid$RANK; exec \"" + kProgram + "\" 1000000"},
                  folder.path());
  running.await_output("epoch 2:");
  const auto begin = std::chrono::steady_clock::now();
  ::kill(pid_in(folder.file("pid1")), SIGKILL);
  const auto ended = running.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_EQ(ended.status, 128 + SIGKILL);
  EXPECT_NE(ended.err.find("tandem launch: rank 1 failed first, signal KILL"), std::string::npos) << ended.err;
  for (const char* rank : {"[0] rank 0: ", "[2] rank 2: "}) {
    const auto line = ended.err.find(rank);
    ASSERT_NE(line, std::string::npos) << ended.err;
    EXPECT_NE(ended.err.substr(line, ended.err.find('\n', line) - line).find(": rank 1 is lost; it last reported: "),
              std::string::npos)
        << ended.err;
  }
}

TEST(Processes, HaveUnequalNumbersOfBatches) {  // U24
  const TemporaryFolder folder;
  for (const int n : {2, 4}) {
    const auto run = run_tandem({"launch", "-n", std::to_string(n), "--", kUneven}, folder.path());
    ASSERT_EQ(run.status, 0) << run.err;
    std::set<std::string> weights;
    int epochs = 0;
    for (const auto& line : lines_of(run.out)) {
      if (const auto at = line.find("weights "); at != std::string::npos) weights.insert(line.substr(at));
      if (line.find(": 67 rows, ") != std::string::npos) ++epochs;
    }
    EXPECT_EQ(weights.size(), 1U) << run.out;
    EXPECT_EQ(epochs, 3 * n) << run.out;
  }
}

TEST(Processes, WhatOneThrowsInALoopIsTheFirstError) {  // U36
  const TemporaryFolder folder;
  const auto run = run_tandem({"launch", "-n", "3", "--", kUneven, "boom"}, folder.path());
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_NE(run.err.find("tandem launch: rank 1 failed first, exit code 1"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("[1] boom"), std::string::npos) << run.err;
  for (const char* told :
       {"[0] rank 0: join: rank 1 left the loop: boom", "[2] rank 2: join: rank 1 left the loop: boom"})
    EXPECT_NE(run.err.find(told), std::string::npos) << run.err;
}

}  // namespace
}  // namespace tandem::testing
