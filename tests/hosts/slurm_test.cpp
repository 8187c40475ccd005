// Ranks that find one another as srun starts them: by a file in a folder that all see.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "program.h"
#include "tandem/cluster/free_port.h"
#include "tandem/comm/meeting_address.h"
#include "tandem/comm/meeting_file.h"
#include "tandem/comm/meeting_point.h"

namespace tandem::testing {
namespace {

using namespace std::chrono_literals;

class Slurm : public ::testing::Test {
 protected:
  // As srun of Slurm 22.05 sets them for rank `rank` of two on one host.
  std::unique_ptr<Program> start(int rank, const std::vector<std::string>& words,
                                 const Program::Variables& more = {}) const {
    Program::Variables variables{{"SLURM_CLUSTER_NAME", "loop"},
                                 {"SLURM_JOB_ID", "7"},
                                 {"SLURM_STEP_ID", "3"},
                                 {"SLURM_PROCID", std::to_string(rank)},
                                 {"SLURM_LOCALID", std::to_string(rank)},
                                 {"SLURM_NODEID", "0"},
                                 {"SLURM_STEP_NUM_TASKS", "2"},
                                 {"SLURM_STEP_NODELIST", "node"},
                                 {"SLURM_STEP_TASKS_PER_NODE", "2"},
                                 {"TANDEM_MEETING_DIR", folder_.path()}};
    for (const auto& [name, value] : more) variables[name] = value;
    return std::make_unique<Program>(words, variables);
  }
  std::string file(const std::string& restart = "0") const { return folder_.file("loop-7-" + restart + "-3.meeting"); }
  void await_file() const {
    for (int tries = 0; tries < 3000 && !std::filesystem::exists(file()); ++tries) std::this_thread::sleep_for(10ms);
    ASSERT_TRUE(std::filesystem::exists(file()));
  }
  void expect_success_of_both(std::unique_ptr<Program> zero, std::unique_ptr<Program> one) const {
    std::vector<std::unique_ptr<Program>> ranks;
    ranks.push_back(std::move(zero));
    ranks.push_back(std::move(one));
    expect_success(ranks);
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  }

  TemporaryFolder folder_;
};

TEST_F(Slurm, Ddp) {
  auto zero = start(0, {kDdp});
  auto one = start(1, {kDdp});
  EXPECT_EQ(zero->wait(), 0) << zero->output();
  EXPECT_EQ(zero->output(), "ddp: ok\n");
  expect_success_of_both(std::move(zero), std::move(one));
}

TEST_F(Slurm, AnAddressThatWasGivenCounts) {
  const Program::Variables given{
      {"MASTER_ADDR", "::1"}, {"MASTER_PORT", std::to_string(cluster::free_port())}, {"TANDEM_MEETING_DIR", "/no"}};
  expect_success_of_both(start(0, {kExchange}, given), start(1, {kExchange}, given));
}

TEST_F(Slurm, TheFileIsForTheUserAloneAndGoesWhenAllHaveMet) {
  auto zero = start(0, {kExchange});
  await_file();
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  expect_success_of_both(std::move(zero), start(1, {kExchange}));
}

TEST_F(Slurm, MeetsAgain) {
  const std::vector<std::string> words{kExchange, "groups=5", "steps=1"};
  expect_success_of_both(start(0, words), start(1, words));
}

// What a run left that was killed: nobody answers there, or somebody who has another key.
TEST_F(Slurm, AnOldFileDoesNoHarm) {
  for (const bool answered : {false, true}) {
    auto key = comm::JobKey::fresh();
    const auto other = std::make_unique<comm::MeetingPoint>("127.0.0.1", 0, key);
    const comm::MeetingAddress old{"127.0.0.1", answered ? other->port() : 9, answered ? comm::JobKey::fresh() : key};
    const comm::MeetingFile left(file(), old.to_text());
    const int reads = ::inotify_init1(IN_CLOEXEC);
    ASSERT_GE(::inotify_add_watch(reads, file().c_str(), IN_CLOSE_NOWRITE), 0);
    auto one = start(1, {kExchange});
    pollfd has_read{reads, POLLIN, 0};  // the old one
    ASSERT_EQ(::poll(&has_read, 1, 60'000), 1);
    ::close(reads);
    expect_success_of_both(start(0, {kExchange}), std::move(one));
  }
}

TEST_F(Slurm, ARequeuedJobHasAFileOfItsOwn) {
  folder_.write("loop-7-0-3.meeting", "of the run before, which others may even read");
  const Program::Variables again{{"SLURM_RESTART_COUNT", "1"}};
  auto zero = start(0, {kExchange}, again), one = start(1, {kExchange}, again);
  EXPECT_EQ(zero->wait(), 0) << zero->output();
  EXPECT_EQ(one->wait(), 0) << one->output();
}

TEST_F(Slurm, NamesTheFileThatDoesNotCome) {
  auto one = start(1, {kExchange, "limit=1"});
  EXPECT_EQ(one->wait(), 4);
  EXPECT_EQ(one->output(), "error: rank 1: rank 0 did not write " + file() +
                               " within 1 s; TANDEM_MEETING_DIR names a folder that all hosts of the job see\n");
}

TEST_F(Slurm, NamesTheRankThatDoesNotCome) {
  auto zero = start(0, {kExchange, "limit=1"});
  EXPECT_EQ(zero->wait(), 4);
  EXPECT_EQ(zero->output(), "error: rank 0: rank 1 did not come within 1 s\n");
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(Slurm, AFileThatOthersMayReadIsRefused) {
  const auto path = folder_.write("loop-7-0-3.meeting", "anything");
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  auto one = start(1, {kExchange, "limit=5"});
  EXPECT_EQ(one->wait(), 1);
  EXPECT_EQ(one->output(), "error: meeting file " + path +
                               ": must be readable by its user alone (mode 0600), others have rights to it\n");
}

}  // namespace
}  // namespace tandem::testing
