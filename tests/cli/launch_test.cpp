// tandem launch: signals, a launcher that dies, several launchers at once; and what tandem info says of a cluster.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "run_tandem.h"
#include "tandem/core/config.h"

namespace tandem::testing {
namespace {

const std::string kCommand = TANDEM_COMMAND;

bool lives(const std::string& id) { return ::kill(static_cast<pid_t>(std::stol(id)), 0) == 0; }

// Waits until none of these processes is there, at most 5 s.
bool all_gone(const std::vector<std::string>& ids) {
  for (int tries = 0; tries < 100; ++tries) {
    bool any = false;
    for (const auto& id : ids) any = any || lives(id);
    if (!any) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

class Launch : public ::testing::Test {
 protected:
  // Ranks that write their process ids to files, say so, and then do `then`.
  Arguments ranks(const std::string& n, const std::string& then) const {
    return {"launch", "-n", n, "--grace", "2", "--", "sh", "-c", "echo $$ > pid$RANK; echo here; " + then};
  }
  std::vector<std::string> ids(int n) const {
    std::vector<std::string> found;
    for (int r = 0; r < n; ++r) found.push_back(first_line(read_file(folder_.file("pid" + std::to_string(r)))));
    return found;
  }

  TemporaryFolder folder_;
};

TEST_F(Launch, PassesSignalsOn) {  // U45
  Running running(ranks("4", "trap 'echo told; exit 0' INT; while :; do sleep 0.05; done"), folder_.path());
  for (const char* rank : {"[0] here", "[1] here", "[2] here", "[3] here"}) running.await_output(rank);
  running.send(SIGINT);
  const auto ended = running.wait();
  EXPECT_EQ(ended.status, 130);
  for (const char* rank : {"[0] told", "[1] told", "[2] told", "[3] told"})
    EXPECT_NE(ended.out.find(rank), std::string::npos) << rank;
  EXPECT_EQ(ended.err, "");
  EXPECT_TRUE(all_gone(ids(4)));
}

TEST_F(Launch, ASecondSignalKills) {
  Running running(ranks("2", "trap 'echo told' INT; while :; do sleep 0.05; done"), folder_.path());
  for (const char* rank : {"[0] here", "[1] here"}) running.await_output(rank);
  running.send(SIGINT);
  for (const char* rank : {"[0] told", "[1] told"}) running.await_output(rank);
  running.send(SIGINT);
  EXPECT_EQ(running.wait().status, 130);
  EXPECT_TRUE(all_gone(ids(2)));
}

TEST_F(Launch, RanksDieWithTheirLauncher) {  // U45
  Running running(ranks("4", "exec sleep 600"), folder_.path());
  for (const char* rank : {"[0] here", "[1] here", "[2] here", "[3] here"}) running.await_output(rank);
  running.send(SIGKILL);
  EXPECT_EQ(running.wait().status, 137);
  EXPECT_TRUE(all_gone(ids(4)));
}

TEST_F(Launch, ReturnsTheFirstFailure) {  // U37
  const auto ended = run_tandem(
      {"launch", "-n", "3", "--", "sh", "-c", "if [ $RANK = 2 ]; then echo no >&2; exit 7; fi"}, folder_.path());
  EXPECT_EQ(ended.status, 7);
  EXPECT_NE(ended.err.find("tandem launch: rank 2 failed first, exit code 7: no\n"), std::string::npos) << ended.err;
}

TEST_F(Launch, TwoAtOnceGetPortsOfTheirOwn) {  // U39
  const Arguments job{"launch", "-n", "2", "--", "sh", "-c", "echo port $MASTER_PORT; sleep 0.5"};
  Running first(job, folder_.path()), second(job, folder_.path());
  const auto a = first.wait(), b = second.wait();
  EXPECT_EQ(a.status, 0);
  EXPECT_EQ(b.status, 0);
  const auto port = [](const Ended& ended) { return first_line(ended.out).substr(4); };
  EXPECT_NE(port(a), port(b));
}

TEST_F(Launch, RefusesBadArguments) {
  expect_refused({"launch", "-n", "0", "--", "true"}, 2, "-n: must be from 1 to 65536, got 0");
  expect_refused({"launch", "-n", "2", "--", "/no/such/program"}, 2,
                 "/no/such/program: cannot be started: No such file or directory");
}

TEST_F(Launch, InfoShowsTheCluster) {
  const auto ended = run_tandem({"launch", "-n", "2", "--", kCommand, "info", "--json"}, folder_.path());
  ASSERT_EQ(ended.status, 0) << ended.err;
  for (const auto& line : lines_of(ended.out)) {
    const auto figures = Config::from_json(line.substr(4));
    EXPECT_EQ(figures.at("cluster_source"), Config("RANK, WORLD_SIZE"));
    EXPECT_EQ(std::to_string(figures.at("rank").as_int()), line.substr(1, 1));
    EXPECT_EQ(figures.at("world_size"), Config(2));
  }
  const auto by_role =
      run_tandem({"launch", "--ps_hosts", "localhost:4001", "--worker_hosts", "localhost:4002", "--", kCommand, "info"},
                 folder_.path());
  EXPECT_NE(by_role.out.find("[ps 0] cluster   ps 0, 1 server, meets at localhost:4002, by TF_CONFIG"),
            std::string::npos)
      << by_role.out;
}

}  // namespace
}  // namespace tandem::testing
