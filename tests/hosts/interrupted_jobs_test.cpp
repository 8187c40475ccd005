// SIGINT and SIGTERM to one role of a job with parameter servers, and to its launcher: all processes end, and files are
// saved as those of one process that is interrupted.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "served_job.h"
#include "tandem/core/config.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::testing {
namespace {

class InterruptedJob : public ::testing::Test {
 protected:
  std::vector<std::string> flags(const std::string& mode) const {
    return {"cnn",
            "--seed",
            "3",
            "--strategy",
            "parameter-server",
            "--batch-size",
            "16",
            "--epochs",
            "100000",
            "--verbose",
            "2",
            "--server-mode",
            mode,
            "--save",
            folder_.file("m.keras"),
            "--history",
            folder_.file("h.json")};
  }
  void expect_saved(bool saved) const {
    EXPECT_EQ(std::filesystem::exists(folder_.file("m.keras")), saved);
    ASSERT_EQ(std::filesystem::exists(folder_.file("h.json")), saved);
    if (!saved) return;
    std::ostringstream text;
    text << std::ifstream(folder_.file("h.json")).rdbuf();
    const auto history = Config::from_json(text.str());
    EXPECT_EQ(history.at("interrupted"), Config(true));
    EXPECT_GE(history.at("loss").as_list().size(), 1U);
    for (const auto& loss : history.at("loss").as_list()) EXPECT_NE(loss, Config(0.0)) << text.str();
    for (const char* name : {"m.keras", "h.json"}) std::filesystem::remove(folder_.file(name));
  }
  static void expect_no_trace(const Program& program) {
    for (const char* word : {"terminate", "what()", "Exception raised", "frame #"})
      EXPECT_EQ(program.output().find(word), std::string::npos) << program.output();
  }

  TemporaryFolder folder_;
};

// Programs: two ps, chief, worker 1, evaluator.
TEST_F(InterruptedJob, InAsyncWhoeverGetsTheSignalTheJobEnds) {
  struct Case {
    std::size_t to;
    int signal;
  };
  for (const auto& [to, signal] : {Case{0, SIGINT}, Case{1, SIGINT}, Case{2, SIGTERM}, Case{3, SIGINT}}) {
    SCOPED_TRACE(to);
    const ServedJob job(2, 2, flags("async"));
    auto programs = job.start_all();
    programs.push_back(job.start("evaluator"));
    programs[2]->await_output("Epoch 2/");
    programs[4]->await_output("evaluator: update ");
    programs[to]->send(signal);
    for (std::size_t p = 0; p < programs.size(); ++p) {
      EXPECT_EQ(programs[p]->wait(), p == to ? 128 + signal : 0) << p << ": " << programs[p]->output();
      expect_no_trace(*programs[p]);
    }
    EXPECT_EQ(programs[2]->output().find("another process of the job was interrupted") != std::string::npos, to != 2)
        << programs[2]->output();
    expect_saved(true);
  }
}

TEST_F(InterruptedJob, AWorkerThatWaitsForItsServerEndsAtOnce) {
  const ServedJob job(1, 1, flags("async"));
  const auto worker = job.start("worker");
  worker->await_output("was not greeted by server 0 of 1");
  worker->send(SIGINT);
  EXPECT_EQ(worker->wait(), 128 + SIGINT) << worker->output();
  expect_saved(false);
}

TEST_F(InterruptedJob, AnEvaluatorThatIsInterruptedLeavesTheOthers) {
  const ServedJob job(1, 1, flags("async"));
  auto programs = job.start_all();
  const auto evaluator = job.start("evaluator");
  evaluator->await_output("evaluator: update ");
  evaluator->send(SIGINT);
  EXPECT_EQ(evaluator->wait(), 128 + SIGINT) << evaluator->output();
  EXPECT_TRUE(std::filesystem::exists(folder_.file("h-evaluator.json")));
  programs[1]->send(SIGTERM);
  EXPECT_EQ(programs[1]->wait(), 128 + SIGTERM) << programs[1]->output();
  EXPECT_EQ(programs[0]->wait(), 0) << programs[0]->output();
  expect_saved(true);
}

// Programs: two ps, chief, worker 1.
TEST_F(InterruptedJob, InSyncWhoeverGetsTheSignalAllEndAfterTheSameStep) {
  for (const std::size_t to : {0, 1, 2, 3}) {
    SCOPED_TRACE(to);
    const ServedJob job(2, 2, flags("sync"));
    const auto programs = job.start_all();
    programs[2]->await_output("Epoch 2/");
    programs[to]->send(SIGINT);
    for (std::size_t p = 0; p < programs.size(); ++p) {
      EXPECT_EQ(programs[p]->wait(), p == to ? 130 : 0) << p << ": " << programs[p]->output();
      expect_no_trace(*programs[p]);
    }
    EXPECT_EQ(programs[2]->output().find("another process of the job was interrupted") != std::string::npos, to != 2)
        << programs[2]->output();
    expect_saved(true);
  }
}

// The launcher hands the signal on to all roles at once.
TEST_F(InterruptedJob, ThroughTheLauncherAllEndAndSave) {
  for (const auto& [mode, signal] : {std::pair("sync", SIGINT), std::pair("async", SIGTERM)}) {
    SCOPED_TRACE(mode);
    const auto at = free_addresses(5);
    std::vector<std::string> words{kTandem,
                                   "launch",
                                   "--ps_hosts",
                                   at[0] + "," + at[1],
                                   "--worker_hosts",
                                   at[2] + "," + at[3],
                                   "--evaluator_hosts",
                                   at[4],
                                   "--",
                                   kTandem,
                                   "train"};
    const auto own = flags(mode);
    words.insert(words.end(), own.begin(), own.end());
    Program launched(words);
    launched.await_output("[worker 0] Epoch 2/");
    launched.await_output("[evaluator 0] [INFO] evaluator: update ");
    launched.send(signal);
    EXPECT_EQ(launched.wait(), 128 + signal) << launched.output();
    expect_no_trace(launched);
    EXPECT_EQ(launched.output().find("it has been stopped"), std::string::npos) << launched.output();
    for (const char* ps : {"[ps 0] ", "[ps 1] "})
      EXPECT_NE(launched.output().find(ps + std::string("serving at")), std::string::npos);
    expect_saved(true);
  }
}

}  // namespace
}  // namespace tandem::testing
