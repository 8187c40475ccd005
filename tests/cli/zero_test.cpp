// ZeRO from the command line, over threads and over processes.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "run_tandem.h"

namespace tandem::testing {
namespace {

const std::string kZero = TANDEM_COMMAND;

class ZeroTraining : public ::testing::Test {
 protected:
  // Losses by epoch of two short epochs with a short last batch, under `tandem launch -n processes`; alone where that
  // is
  // "". The model is saved as `name`.
  std::vector<double> losses(const std::string& processes, const std::string& name, const Arguments& more) const {
    Arguments arguments{"train",        "cnn", "--data", "digits", "--epochs",  "2",     "--steps", "3",
                        "--batch-size", "17",  "--seed", "3",      "--history", "h.csv", "--save",  name};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (!processes.empty()) arguments.insert(arguments.begin(), {"launch", "-n", processes, "--", kZero});
    const auto ended = run_tandem(arguments, folder_.path());
    EXPECT_EQ(ended.status, 0) << ended.err;
    const auto lines = lines_of(read_file(folder_.file("h.csv")));
    std::vector<double> values;
    std::size_t column = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::istringstream line(lines[i]);
      std::string cell;
      for (std::size_t c = 0; std::getline(line, cell, ','); ++c) {
        if (i == 0 && cell == "loss") column = c;
        if (i > 0 && c == column) values.push_back(std::stod(cell));
      }
    }
    return values;
  }
  std::string evaluated(const std::string& name) const { return run_tandem({"evaluate", name}, folder_.path()).out; }

  TemporaryFolder folder_;
};

TEST_F(ZeroTraining, GivesTheNumbersOfOneDeviceOverThreadsAndProcesses) {
  const auto one = losses("", "one.keras", {"--strategy", "single", "--devices", "cpu:0"});
  ASSERT_EQ(one.size(), 2U);
  const auto expect_one = [&](const std::vector<double>& got) {
    ASSERT_EQ(got.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(got[i], one[i], 1e-5);
  };
  for (const std::string stage : {"zero1", "zero2", "zero3"}) {
    SCOPED_TRACE(stage);
    expect_one(losses("", "threads.keras", {"--strategy", stage, "--devices", "cpu*2"}));
    expect_one(losses("2", "processes.keras", {"--strategy", stage}));
    EXPECT_EQ(evaluated("processes.keras"), evaluated("threads.keras"));
  }
  expect_one(losses("4", "four.keras", {"--strategy", "zero3"}));
}

TEST_F(ZeroTraining, ALimitOfMemoryEndsInOneLine) {
  const auto ended = run_tandem({"train", "cnn", "--steps", "1", "--devices", "cpu*2", "--memory-limit", "100000"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
  EXPECT_NE(ended.err.find(": out of memory: memory_limit is 100000 bytes, "), std::string::npos) << ended.err;
  expect_refused({"train", "cnn", "--memory-limit", "100000", "--strategy", "single"}, 2,
                 "--memory-limit needs --strategy mirrored, data-parallel, pipeline, tensor, zero1, zero2 or zero3, "
                 "or --mesh");
  expect_refused({"train", "cnn", "--strategy", "zero1", "--devices", "cpu*2", "--offload-optimizer"}, 2,
                 "Zero: offload_optimizer must not be set on CPUs, where the optimizer's state lies in host memory "
                 "anyway");
}

}  // namespace
}  // namespace tandem::testing
