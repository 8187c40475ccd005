// Processes that a launcher starts, with programs of the shell.
#include "tandem/cluster/launcher.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tandem/core/config.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::cluster {
namespace {

using testing::message_of;

struct Ran {
  int status = 0;
  std::string out, err;
};

Ran run_job(const LaunchOptions& options, const std::string& script, LaunchWatch watch = {}) {
  Ran ran;
  watch.output = [&](const std::string& lines) { ran.out += lines; };
  watch.errors = [&](const std::string& lines) { ran.err += lines; };
  ran.status = launch(launch_plan(options), {"sh", "-c", script}, watch);
  return ran;
}

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(Launcher, TellsEachRankWhoItIs) {  // U48
  const auto ran = run_job({.processes = 4}, "echo $RANK/$WORLD_SIZE $LOCAL_RANK/$LOCAL_WORLD_SIZE $MASTER_ADDR");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(sorted_lines(ran.out), (std::vector<std::string>{"[0] 0/4 0/4 127.0.0.1", "[1] 1/4 1/4 127.0.0.1",
                                                             "[2] 2/4 2/4 127.0.0.1", "[3] 3/4 3/4 127.0.0.1"}));
  EXPECT_EQ(ran.err, "");
}

TEST(Launcher, KeepsOutputAndErrorsApartAndLinesWhole) {
  const auto ran = run_job({.processes = 2}, "printf a; sleep 0.05; printf 'b\\nc'; echo e >&2");
  EXPECT_EQ(sorted_lines(ran.out), (std::vector<std::string>{"[0] ab", "[0] c", "[1] ab", "[1] c"}));
  EXPECT_EQ(sorted_lines(ran.err), (std::vector<std::string>{"[0] e", "[1] e"}));
}

TEST(Launcher, ReturnsTheFirstFailureAndShowsItsErrorsLast) {  // U36, U37
  const auto ran = run_job({.processes = 3},
                           "if [ $RANK = 1 ]; then echo start >&2; echo boom >&2; exit 7; fi; sleep 0.3; "
                           "echo 'rank 1 is lost' >&2; exit 4");
  EXPECT_EQ(ran.status, 7);
  const auto summary = ran.err.substr(ran.err.find("tandem launch: "));
  EXPECT_EQ(
      summary,
      "tandem launch: rank 1 failed first, exit code 7: boom\n"
      "tandem launch: rank 0: exit code 4\ntandem launch: rank 1: exit code 7\ntandem launch: rank 2: exit code 4\n"
      "tandem launch: the last error lines of rank 1:\n  start\n  boom\n");
}

TEST(Launcher, ALostPeerIsNotTheCause) {  // rank 0 notices before rank 1 has ended
  const auto ran = run_job({.processes = 2}, "if [ $RANK = 0 ]; then exit 4; fi; sleep 0.2; exit 9");
  EXPECT_EQ(ran.status, 9);
}

TEST(Launcher, EndsTheOthersWhereOneFails) {
  const auto ran =
      run_job({.processes = 3}, "if [ $RANK = 2 ]; then kill -KILL $$; fi; sleep 600 & wait", {.grace_seconds = 0.1});
  EXPECT_EQ(ran.status, 128 + 9);
  EXPECT_NE(ran.err.find("rank 2 failed first, signal KILL"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("rank 0: signal TERM"), std::string::npos) << ran.err;
}

TEST(Launcher, KillsWhatIgnoresTheEnd) {
  const auto ran =
      run_job({.processes = 2}, "trap '' TERM; if [ $RANK = 0 ]; then exit 3; fi; while :; do sleep 0.05; done",
              {.grace_seconds = 0.2});
  EXPECT_EQ(ran.status, 3);
  EXPECT_NE(ran.err.find("rank 1: signal KILL"), std::string::npos) << ran.err;
}

TEST(Launcher, LeavesNoProcessOfARankBehind) {
  const testing::TemporaryFolder folder;
  const auto ran = run_job({.processes = 1}, "(sleep 0.7; touch '" + folder.file("late") + "') & echo started");
  EXPECT_EQ(ran.out, "[0] started\n");
  EXPECT_EQ(run_job({.processes = 1}, "sleep 1").status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder.file("late")));
}

TEST(Launcher, ServersAndWorkersByTfConfig) {
  const auto ran =
      run_job({.ps_hosts = "localhost:4001", .worker_hosts = "localhost:4002, localhost:4003"}, "echo \"$TF_CONFIG\"");
  const std::string cluster =
      R"({"cluster":{"ps":["localhost:4001"],"worker":["localhost:4002","localhost:4003"]},"task":)";
  EXPECT_EQ(sorted_lines(ran.out),
            (std::vector<std::string>{"[ps 0] " + cluster + R"({"type":"ps","index":0}})",
                                      "[worker 0] " + cluster + R"({"type":"worker","index":0}})",
                                      "[worker 1] " + cluster + R"({"type":"worker","index":1}})"}));
}

// An evaluator is told its role, and one that fails ends no other; the job's exit code is its then.
TEST(Launcher, AnEvaluatorIsNotNeeded) {
  const auto ran =
      run_job({.ps_hosts = "localhost:4001", .worker_hosts = "localhost:4002", .evaluator_hosts = "localhost:4003"},
              R"(case "$TF_CONFIG" in *'"type":"evaluator"'*) exit 9;; *) sleep 0.5; echo "$TF_CONFIG";; esac)",
              {.grace_seconds = 0.1});
  EXPECT_EQ(ran.status, 9);
  const std::string cluster =
      R"({"cluster":{"ps":["localhost:4001"],"worker":["localhost:4002"],"evaluator":["localhost:4003"]},"task":)";
  EXPECT_EQ(sorted_lines(ran.out),
            (std::vector<std::string>{"[ps 0] " + cluster + R"({"type":"ps","index":0}})",
                                      "[worker 0] " + cluster + R"({"type":"worker","index":0}})"}));
  EXPECT_NE(ran.err.find("tandem launch: evaluator 0 failed first, exit code 9\n"), std::string::npos) << ran.err;
}

TEST(Launcher, DealsRanksOutToHosts) {
  const auto tasks = launch_plan({.processes = 5, .hosts = {"a", "b"}});
  std::string text;
  for (const auto& task : tasks)
    text += task.host + task.variables.at("RANK") + "/" + task.variables.at("LOCAL_RANK") + " ";
  EXPECT_EQ(text, "a0/0 a1/1 a2/2 b3/0 b4/1 ");
  EXPECT_EQ(tasks[0].variables.at("MASTER_ADDR"), "a");
  EXPECT_EQ(tasks[0].variables.at("MASTER_PORT"), "29500");
  EXPECT_EQ(tasks[4].variables.at("LOCAL_WORLD_SIZE"), "2");
}

TEST(Launcher, HandsTheInterfaceOnToOtherHosts) {
  ::setenv("TANDEM_INTERFACE", "eth*", 1);
  const auto tasks = launch_plan({.processes = 2, .hosts = {"localhost", "b"}});
  ::unsetenv("TANDEM_INTERFACE");
  EXPECT_FALSE(tasks[0].variables.contains("TANDEM_INTERFACE")) << "it has it";
  EXPECT_EQ(tasks[1].variables.at("TANDEM_INTERFACE"), "eth*");
  EXPECT_FALSE(tasks[1].variables.contains("GLOO_SOCKET_IFNAME"));
}

// What ssh and the far side do: a shell in a session of its own gets the words and what comes along the wire.
constexpr const char* kSsh = R"([ "$1 $2 $3" = '-o BatchMode=yes far' ] || exit 255
shift 3
export SSH_ID=$$
wire=$(mktemp -u)
mkfifo "$wire"
exec 3<&0
cat <&3 >"$wire" &
cat=$!
setsid --wait sh -c "$*" <"$wire"
status=$?
kill $cat
rm "$wire"
exit $status
)";

class OtherHost : public ::testing::Test {
 protected:
  Ran run_there(int64_t processes, const std::string& script, double grace_seconds = 10) {
    return run_job({.processes = processes, .hosts = {"far"}}, script,
                   {.grace_seconds = grace_seconds, .ssh = {"sh", folder_.write("ssh", kSsh), "-o", "BatchMode=yes"}});
  }

  testing::TemporaryFolder folder_;
};

TEST_F(OtherHost, RunsTheProgramInThisFolderAndPassesItsEnd) {
  const auto ran = run_there(2, "echo \"it's $RANK\"; pwd; exit $((RANK * 5))");
  const auto here = std::filesystem::current_path().string();
  EXPECT_EQ(sorted_lines(ran.out),
            (std::vector<std::string>{"[0] " + here, "[0] it's 0", "[1] " + here, "[1] it's 1"}));
  EXPECT_EQ(ran.status, 5);
}

TEST_F(OtherHost, PassesSignalsOnByName) {
  const auto ran = run_there(
      2, "if [ $RANK = 0 ]; then exit 3; fi; trap 'echo told; exit 0' TERM; while :; do sleep 0.05; done", 0.3);
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(ran.out, "[1] told\n");
}

TEST_F(OtherHost, TheProgramEndsWithTheConnection) {
  const auto told = folder_.file("told");
  const auto ran = run_there(
      1, "trap 'touch \"" + told + "\"; exit 0' TERM; kill -s KILL -- -$SSH_ID; while :; do sleep 0.05; done");
  EXPECT_EQ(ran.status, 128 + 9);
  for (int tries = 0; tries < 100 && !std::filesystem::exists(told); ++tries) ::usleep(50000);
  EXPECT_TRUE(std::filesystem::exists(told));
}

TEST(Launcher, RefusesWhatDoesNotFit) {
  EXPECT_EQ(message_of([] { launch_plan({}); }), "-n: must be from 1 to 65536, got 0");
  EXPECT_EQ(message_of([] {
              launch_plan({.processes = 1, .hosts = {"a", "b"}});
            }),
            "-n: must be at least one for each of the 2 hosts, got 1");
  EXPECT_EQ(message_of([] { launch_plan({.ps_hosts = "a:1"}); }), "--worker_hosts: must be given with --ps_hosts");
  EXPECT_EQ(message_of([] { launch_plan({.processes = 2, .worker_hosts = "a:1"}); }),
            "-n and --hosts: must not be given with --worker_hosts, which says how many and where");
  EXPECT_EQ(message_of([] {
              launch({{"rank 0", "", {}}}, {"/no/such/program"}, {});
            }),
            "/no/such/program: cannot be started: No such file or directory");
}

}  // namespace
}  // namespace tandem::cluster
