// A parameter server on each host, its workers beside it: processes of their own.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <thread>

#include "run_tandem.h"
#include "tandem/cluster/free_port.h"

namespace tandem::testing {
namespace {

std::string addresses(int count) {
  std::string all;
  for (int i = 0; i < count; ++i)
    all += (i > 0 ? "," : "") + std::string("127.0.0.1:") + std::to_string(cluster::free_port());
  return all;
}

Ended launch(int servers, int workers, const Arguments& program) {
  Arguments all{"launch", "--ps_hosts", addresses(servers), "--worker_hosts", addresses(workers), "--grace",
                "30",     "--"};
  all.insert(all.end(), program.begin(), program.end());
  return run_tandem(all);
}

// What follows `begin` in each line of workers that has it.
std::multiset<std::string> of_workers(const std::string& text, const std::string& begin) {
  std::multiset<std::string> found;
  for (const auto& line : lines_of(text)) {
    const auto at = line.find(begin);
    if (line.starts_with("[worker ") && at != std::string::npos) found.insert(line.substr(at + begin.size()));
  }
  return found;
}

TEST(ServedHosts, AllProcessesEndWithTheSameWeights) {
  for (const std::string mode : {"sync", "async"}) {
    for (const std::string way : {"all-reduce", "ring", "async-scatter-sum"}) {
      SCOPED_TRACE(mode + " " + way);
      const auto ended = launch(2, 4, {TANDEM_HOSTS_PROGRAM, mode, way, "4"});
      ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
      const auto weights = of_workers(ended.out, "weights "), losses = of_workers(ended.out, "loss ");
      ASSERT_EQ(weights.size(), 4U) << ended.out;
      EXPECT_EQ(weights.count(*weights.begin()), 4U) << ended.out;
      ASSERT_EQ(losses.count(*losses.begin()), 4U) << ended.out;
      char* rest = nullptr;
      const double first = std::strtod(losses.begin()->c_str(), &rest);
      // Out of step the path is another one each time.
      const bool in_step = mode == "sync" && way != "async-scatter-sum";
      EXPECT_LT(std::strtod(rest + 4, nullptr), first * (in_step ? 0.5 : 0.8)) << *losses.begin();
      // 57 batches: in sync each is an update of each host, else of one.
      for (const auto& line : lines_of(ended.out)) {
        const auto at = line.find("] ") + 2;
        if (line.find(" rounds, ") == std::string::npos) continue;
        const int64_t rounds = std::atol(line.c_str() + at);
        EXPECT_GE(rounds, 3) << line;
        if (in_step) EXPECT_EQ(rounds, 3 * (57 / 4) + 3) << line;
        if (way != "async-scatter-sum") {
          constexpr int64_t kParameters = 64 * 16 + 16 + 16 * 10 + 10;  // with gaps behind them
          const auto each = std::atol(line.c_str() + line.find(" rounds, ") + 9) / rounds;
          EXPECT_GE(each, 4 * kParameters) << line;
          EXPECT_LE(each, 4 * (kParameters + 4 * 16)) << line;
        }
      }
    }
  }
}

TEST(ServedHosts, TheCommandTrainsAndServes) {
  for (const std::string mode : {"sync", "stale"}) {
    Arguments train{
        TANDEM_COMMAND, "train",        "cnn",        "--data",           "digits",        "--epochs", "1",
        "--batch-size", "32",           "--strategy", "parameter-server", "--server-mode", mode,       "--server-sync",
        "ring",         "--sync-every", "2"};
    if (mode == "sync") train.insert(train.end(), {"--steps", "8"});
    if (mode == "stale") train.insert(train.end(), {"--staleness", "2"});
    const auto ended = launch(2, 2, train);
    ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_NE(ended.out.find("servers averaged their parameters "), std::string::npos) << ended.out;
    for (const std::string ps : {"[ps 0] ", "[ps 1] "}) {
      EXPECT_NE(ended.out.find(ps + "serving at 127.0.0.1:"), std::string::npos) << ended.out;
      if (mode == "sync") EXPECT_NE(ended.out.find(ps + "8 updates by 8 gradients"), std::string::npos) << ended.out;
    }
    if (mode == "sync") EXPECT_NE(ended.out.find("; 5 averages, "), std::string::npos) << ended.out;
  }
}

TEST(ServedHosts, WithinOneProcess) {
  const auto ended =
      run_tandem({"train", "cnn", "--data", "digits", "--epochs", "1", "--steps", "6", "--devices", "cpu*4",
                  "--strategy", "parameter-server", "--servers", "2", "--server-sync", "all-reduce"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("servers averaged their parameters 7 times; those that this process trains with sent "),
            std::string::npos)
      << ended.out;
}

// The last round that a host of two has saved; 0: none.
int64_t last_saved(const std::string& folder, int host) {
  const auto begin = "host-" + std::to_string(host) + "-of-2-round-";
  int64_t last = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    const bool is_one = name.starts_with(begin) && entry.path().extension() == ".snapshot";
    if (is_one) last = std::max<int64_t>(last, std::atol(name.c_str() + begin.size()));
  }
  return last;
}

// Each process is told by flags who it is.
TEST(ServedHosts, AKilledServerAndTheOthersGoOnFromWhatAllSaved) {
  const TemporaryFolder folder;
  const auto ps = addresses(2), workers = addresses(2), saved = folder.file("saved");
  const auto killed = "server 0 of 2 (" + ps.substr(0, ps.find(',')) + ")";
  const auto told = [&](Arguments command, const std::string& role, const std::string& index) {
    command.insert(command.end(), {"--ps_hosts", ps, "--worker_hosts", workers, "--job_name", role, "--task_index",
                                   index, "--server-sync", "ring", "--sync-every", "5"});
    return std::make_unique<Running>(command, folder.path());
  };
  const auto serve = [&](const std::string& index) {
    auto server = told({"serve-parameters", "--save", "saved", "--save-every", "10"}, "ps", index);
    server->await_output("serving at");
    return server;
  };
  const auto train = [&](const std::string& epochs, const std::string& index) {
    return told({"train", "cnn", "--data", "digits", "--epochs", epochs, "--steps", "8", "--batch-size", "32",
                 "--strategy", "parameter-server", "--server-mode", "sync", "--devices", "cpu:0"},
                "worker", index);
  };
  {
    auto first = serve("0"), second = serve("1");
    auto leads = train("1000", "0"), follows = train("1000", "1");
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (last_saved(saved, 0) < 4 || last_saved(saved, 1) < 4) {
      ASSERT_LT(std::chrono::steady_clock::now(), limit);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    first->send(SIGKILL);
    const auto ended = second->wait();
    EXPECT_EQ(ended.status, 4);
    EXPECT_NE(ended.err.find(killed + ": its connection closed"), std::string::npos) << ended.err;
    for (auto* worker : {leads.get(), follows.get()}) {
      const auto lost = worker->wait();
      EXPECT_EQ(lost.status, 4) << lost.err;
      EXPECT_NE(lost.err.find("server 0 of "), std::string::npos) << lost.err;
    }
  }
  auto first = serve("0"), second = serve("1");
  auto leads = train("1", "0"), follows = train("1", "1");
  const auto led = leads->wait(), followed = follows->wait();
  EXPECT_EQ(led.status, 0) << led.err;
  EXPECT_EQ(followed.status, 0) << followed.err;
  const std::string begin = "the servers go on from update ";
  const auto at = led.out.find(begin);
  ASSERT_NE(at, std::string::npos) << led.out << led.err;
  const int64_t from = std::atol(led.out.c_str() + at + begin.size());
  EXPECT_GE(from, 10);
  for (auto* server : {first.get(), second.get()}) {
    const auto ended = server->wait();
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_NE(ended.out.find(std::to_string(from + 8) + " updates by "), std::string::npos) << ended.out;
  }
  EXPECT_EQ(last_saved(saved, 0) + last_saved(saved, 1), 0);
}

TEST(ServedHosts, NameWhatDoesNotFit) {
  expect_refused(
      {"train", "cnn", "--server-sync", "ring"}, 2,
      "--servers, --server-mode, --staleness, --backup-workers and --server-sync need --strategy parameter-server");
  expect_refused({"train", "cnn", "--strategy", "parameter-server", "--sync-every", "2"}, 2,
                 "--sync-every requires --server-sync");
  expect_refused({"train", "cnn", "--devices", "cpu*3", "--strategy", "parameter-server", "--servers", "2",
                  "--server-sync", "ring"},
                 2, "ParameterServer: workers must be a multiple of the servers with server_sync, got 3 for 2 servers");
  expect_refused({"serve-parameters", "--address", "127.0.0.1:0", "--server-sync", "ring"}, 2,
                 "--address excludes --server-sync");
}

}  // namespace
}  // namespace tandem::testing
