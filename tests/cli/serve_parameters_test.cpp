// tandem serve-parameters, and workers that train with it: processes of their own.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>

#include "run_tandem.h"
#include "tandem/cluster/free_port.h"

namespace tandem::testing {
namespace {

const std::string kWorker = TANDEM_SERVER_WORKER, kServerCommand = TANDEM_COMMAND;

bool has_text(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class ServeParameters : public ::testing::Test {
 protected:
  Arguments serve(const std::string& address, Arguments more = {}) const {
    Arguments all{"serve-parameters", "--address", address};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  static std::string free_address() { return "127.0.0.1:" + std::to_string(cluster::free_port()); }
  static Arguments workers(const std::string& count, Arguments arguments) {
    Arguments all{"launch", "-n", count, "--grace", "30", "--", kWorker};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }

  // A worker that ends with the launcher that started it, and alone.
  static Arguments one_of_two(const std::string& worker, const std::string& arguments) {
    return {"launch",
            "-n",
            "1",
            "--",
            "sh",
            "-c",
            "RANK=" + worker + " WORLD_SIZE=2 exec \"" + kWorker + "\" " + arguments};
  }

  TemporaryFolder folder_;
};

TEST_F(ServeParameters, EndsWithItsWorkers) {  // U53
  for (const char* mode : {"sync", "async"}) {
    const auto address = free_address();
    Running server(serve(address), folder_.path());
    server.await_output("serving at " + address + "\n");
    const auto trained = run_tandem(workers("2", {mode, "10", "none", address}), folder_.path());
    EXPECT_EQ(trained.status, 0) << trained.out << trained.err;
    const auto done = std::chrono::steady_clock::now();
    const auto ended = server.wait();
    EXPECT_LT(std::chrono::steady_clock::now() - done, std::chrono::seconds(5));
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    if (std::string(mode) == "sync") {
      EXPECT_TRUE(has_text(trained.out, "[1] parameters -20 to -20")) << trained.out;
      EXPECT_TRUE(has_text(ended.out,
                           "10 updates by 20 gradients (0 held, 0 dropped); staleness mean 0, max 0, "
                           "gradients by staleness 0: 20\n"))
          << ended.out;
    } else {
      EXPECT_TRUE(has_text(ended.out, "20 updates by 20 gradients")) << ended.out;
    }
  }
}

TEST_F(ServeParameters, ALaunchedJobKnowsItsRolesAndKey) {
  const auto servers = free_address() + "," + free_address();
  const auto ended = run_tandem(
      {"launch", "--ps_hosts", servers, "--worker_hosts", free_address() + "," + free_address(), "--", "sh", "-c",
       "case $TF_CONFIG in *'\"type\":\"ps\"'*|*'\"type\": \"ps\"'*) exec \"" + kServerCommand +
           "\" serve-parameters;; *) exec \"" + kWorker + "\" sync 5 -;; esac"},
      folder_.path());
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  for (const char* line : {"[ps 0] serving at ", "[ps 1] serving at ", "[worker 0] parameters -10 to -10",
                           "[worker 1] parameters -10 to -10", "[ps 1] 5 updates by 10 gradients"})
    EXPECT_TRUE(has_text(ended.out, line)) << line << "\n" << ended.out << ended.err;
}

// One of two servers is killed after more than 20 updates; all go on from one that both have saved.
TEST_F(ServeParameters, AKilledServerGoesOnFromWhatItSaved) {  // U54
  for (const bool at_once : {false, true}) {
    const auto killed = free_address(), other = free_address();
    const auto saving = [&](const std::string& address, const std::string& name) {
      return serve(address, {"--save", folder_.file(name), "--save-every", "10"});
    };
    Running second(saving(other, "second"), folder_.path());
    auto first = std::make_unique<Running>(saving(killed, "first"), folder_.path());
    first->await_output("serving at");
    second.await_output("serving at");
    Running training(workers("2", {"sync", "60", "none", killed, other}), folder_.path());
    training.await_output("[0] step 30\n");
    first->send(SIGKILL);
    EXPECT_EQ(first->wait().status, 137);
    // Whoever notices it first; the other one may hear of it from the second server. Where the new one is there at once
    // and nothing was lost between, nobody notices.
    if (!at_once) training.await_output("cannot go on: server 0 of 2 (" + killed + ")");
    first = std::make_unique<Running>(saving(killed, "first"), folder_.path());
    const auto trained = training.wait();
    EXPECT_EQ(trained.status, 0) << trained.out << trained.err;
    if (!at_once || has_text(trained.out, "cannot go on")) {
      const auto resumed = trained.out.rfind("[0] begun from update ");
      ASSERT_NE(resumed, std::string::npos);
      // Of what was being written when it was killed some may be missing.
      EXPECT_GE(std::atoi(trained.out.c_str() + resumed + 22), 10) << trained.out;
    }
    // Each gradient of the 60 updates once.
    EXPECT_TRUE(has_text(trained.out, "[0] parameters -120 to -120")) << trained.out;
    EXPECT_TRUE(has_text(trained.out, "[1] parameters -120 to -120")) << trained.out;
    for (auto* server : {first.get(), &second}) {
      const auto ended = server->wait();
      EXPECT_EQ(ended.status, 0) << ended.err;
      EXPECT_TRUE(has_text(ended.out, "60 updates by 120 gradients")) << ended.out;
    }
    // All is done. What the killed one was writing may be left.
    for (const auto& entry : std::filesystem::directory_iterator(folder_.file("first")))
      EXPECT_NE(entry.path().extension(), ".snapshot") << entry.path();
  }
}

TEST_F(ServeParameters, SpeaksOnlyWithThoseThatHaveTheKey) {
  for (const char* name : {"right.key", "wrong.key"})
    ASSERT_EQ(run_tandem({"serve-parameters", "--new-key", name}, folder_.path()).status, 0);
  struct stat status {};
  ASSERT_EQ(stat(folder_.file("right.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_EQ(run_tandem({"serve-parameters", "--new-key", "right.key"}, folder_.path()).status, 5);
  const auto address = free_address();
  Running server(serve(address, {"--key", "right.key"}), folder_.path());
  server.await_output("serving at");
  for (const char* wrong : {"wrong.key", "none"}) {
    const auto refused = run_tandem(workers("1", {"sync", "3", wrong, address}), folder_.path());
    EXPECT_EQ(refused.status, 4);
    EXPECT_TRUE(has_text(refused.out, "refuses to speak with us: both must have the same key, or none")) << refused.out;
  }
  const auto trained = run_tandem(workers("1", {"sync", "3", "right.key", address}), folder_.path());
  EXPECT_EQ(trained.status, 0) << trained.out;
  EXPECT_EQ(server.wait().status, 0);
}

// Each process is told its role by flags, and the key by a file.
TEST_F(ServeParameters, FlagsSayWhoServesAndWhoTrains) {
  ASSERT_EQ(run_tandem({"serve-parameters", "--new-key", "job.key"}, folder_.path()).status, 0);
  const auto ps = free_address(), workers = free_address() + "," + free_address();
  const auto told = [&](Arguments command, const std::string& role, const std::string& index) {
    command.insert(command.end(), {"--ps_hosts", ps, "--worker_hosts", workers, "--job_name", role, "--task_index",
                                   index, "--key", "job.key"});
    return command;
  };
  const Arguments train{"train",         "mlp",   "--strategy", "parameter-server",
                        "--server-mode", "async", "--epochs",   "1",
                        "--devices",     "cpu:0", "--seed",     "1"};
  Running server(told({"serve-parameters"}, "ps", "0"), folder_.path());
  server.await_output("serving at " + ps);
  Running first(told(train, "worker", "0"), folder_.path()), second(told(train, "worker", "1"), folder_.path());
  const auto led = first.wait(), followed = second.wait();
  EXPECT_EQ(led.status, 0) << led.err;
  EXPECT_TRUE(has_text(led.out, "in this process or another")) << led.out;
  EXPECT_EQ(followed.status, 0) << followed.err;
  EXPECT_EQ(followed.out, "");
  EXPECT_EQ(server.wait().status, 0);
  const auto info =
      run_tandem({"info", "--ps_hosts", ps, "--worker_hosts", workers, "--job_name", "worker", "--task_index", "1"});
  EXPECT_TRUE(has_text(info.out, "rank 1 of 2 (worker 1)")) << info.out;
}

// What would be given in vain is refused, or said, before anything is waited for.
TEST_F(ServeParameters, OptionsThatNobodyHeedsAreTold) {
  const auto told = [](Arguments more) {
    Arguments all{"train",       "mlp",        "--ps_hosts", "127.0.0.1:1",  "--worker_hosts",
                  "127.0.0.1:2", "--job_name", "worker",     "--task_index", "0"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const std::string source = "(--ps_hosts, --worker_hosts, --job_name)";
  expect_refused(
      told({"--strategy", "mirrored"}), 2,
      "this job has parameter servers " + source + ": its workers must have --strategy parameter-server, got mirrored");
  expect_refused(
      told({}), 2,
      "this job has parameter servers " + source + ": its workers must have --strategy parameter-server, got none");
  expect_refused(
      told({"--strategy", "parameter-server", "--servers", "2"}), 2,
      "--servers: must not be given where the job has servers (1 by --ps_hosts, --worker_hosts, --job_name), got 2");
  expect_refused({"train", "mlp", "--evaluate-every", "2"}, 2,
                 "--evaluate-every: must be given in a job with parameter servers and an evaluator, which evaluates "
                 "every 2 updates; this is one process");
  expect_refused({"train", "mlp", "--strategy", "single", "--fixed-order", "4"}, 2,
                 "strategy single: shares, fixed_order and average_every must not be set, which divide a batch over "
                 "replicas; mirrored has them on one device, too; got fixed_order 4, average_every 0");
  expect_refused({"train", "mlp", "--strategy", "parameter-server", "--servers", "100000", "--devices", "cpu:0"}, 2,
                 "ParameterServer: servers must be so few that all workers and servers of this process need 900 "
                 "sockets at most, got 100000 with 1 worker");
  const auto far = run_tandem({"train", "mlp", "--strategy", "parameter-server", "--server-mode", "async", "--ps_hosts",
                               "10.1.1.1:22", "--worker_hosts", "10.1.1.2:22", "--job_name", "worker", "--task_index",
                               "0", "--devices", "cpu:0", "--verbose", "0"});
  EXPECT_EQ(far.status, 2) << far.err;
  EXPECT_EQ(far.err,
            "tandem: server 0 of 1 (10.1.1.1:22): a key must be given to speak with it beyond loopback, got none\n");
  const auto alone = run_tandem({"train", "mlp", "--strategy", "parameter-server", "--server-sync", "ring", "--steps",
                                 "1", "--epochs", "1", "--devices", "cpu:0"});
  EXPECT_EQ(alone.status, 0) << alone.err;
  EXPECT_EQ(alone.err, "tandem: warning: --server-sync: there is one server, which averages with nobody\n");
}

TEST_F(ServeParameters, ASignalTellsTheWorkers) {
  struct Job {
    int signal;
    std::string address = free_address();
    std::unique_ptr<Running> server = nullptr, training = nullptr;
  };
  std::vector<Job> jobs;  // side by side: a server waits ten seconds for its workers
  for (const int signal : {SIGINT, SIGTERM}) {
    auto& job = jobs.emplace_back(Job{signal});
    job.server = std::make_unique<Running>(serve(job.address), folder_.path());
    job.server->await_output("serving at");
    job.training = std::make_unique<Running>(workers("1", {"async", "100000", "none", job.address}), folder_.path());
    job.training->await_output("step 3\n");
    job.server->send(signal);
  }
  for (const auto& job : jobs) {
    job.training->await_output("cannot go on: server 0 of 1 (" + job.address + "): it has been stopped");
    const auto ended = job.server->wait();
    EXPECT_EQ(ended.status, 128 + job.signal);
    EXPECT_EQ(ended.err, "");
    EXPECT_TRUE(has_text(ended.out, " updates by ")) << ended.out;
  }
}

TEST_F(ServeParameters, AWorkerThatDiesDoesNotEndAsync) {
  const auto address = free_address();
  Running server(serve(address, {"--gone", "0.5"}), folder_.path());
  server.await_output("serving at");
  Running first(one_of_two("0", "async 300 none " + address), folder_.path());
  {
    const Running second(one_of_two("1", "async 100000 none " + address), folder_.path());
    second.await_output("step 3\n");
  }
  const auto trained = first.wait();
  EXPECT_EQ(trained.status, 0) << trained.err;
  EXPECT_FALSE(has_text(trained.out, "cannot go on")) << trained.out;
  const auto ended = server.wait();
  EXPECT_EQ(ended.status, 0) << ended.err;
}

TEST_F(ServeParameters, AWorkerThatDiesComesBackInSync) {
  const auto address = free_address();
  Running server(serve(address, {"--save", "saved", "--save-every", "10"}), folder_.path());
  server.await_output("serving at");
  Running first(one_of_two("0", "sync 60 none " + address), folder_.path());
  {
    const Running second(one_of_two("1", "sync 60 none " + address), folder_.path());
    second.await_output("step 25\n");
  }
  first.await_output("cannot go on: server 0 of 1 (" + address +
                     "): worker 1 has gone: its connection closed, and mode sync needs all workers");
  Running again(one_of_two("1", "sync 60 none " + address), folder_.path());
  for (auto* worker : {&first, &again}) {
    const auto trained = worker->wait();
    EXPECT_EQ(trained.status, 0) << trained.err;
    // It may have come a little further before it was killed.
    EXPECT_TRUE(has_text(trained.out, "begun from update 20\n") || has_text(trained.out, "begun from update 30\n"))
        << trained.out;
    EXPECT_TRUE(has_text(trained.out, "parameters -120 to -120")) << trained.out;
  }
  EXPECT_EQ(server.wait().status, 0);
}

TEST_F(ServeParameters, WorkersThatDieEndIt) {
  const auto address = free_address();
  Running server(serve(address, {"--gone", "0.2"}), folder_.path());
  server.await_output("serving at");
  {
    const Running training(workers("1", {"async", "100000", "none", address}), folder_.path());
    training.await_output("step 3\n");
  }
  const auto ended = server.wait();
  EXPECT_EQ(ended.status, 4);
  EXPECT_EQ(ended.err, "tandem: server at " + address + ": its workers have gone, and none said that it is done\n");
}

TEST_F(ServeParameters, WaitsForTheFirstWorkerAsLongAsItIsTold) {
  EXPECT_EQ(run_tandem(serve(free_address(), {"--start", "0.2"}), folder_.path()).status, 4);
}

TEST_F(ServeParameters, IsGoneWhenItsOnlyWorkerWasRefused) {
  const auto address = free_address();
  std::filesystem::create_directory(folder_.file("saved"));
  std::ofstream(folder_.file("saved") + "/server-0-of-1-update-10.snapshot") << "no snapshot";
  Running server(serve(address, {"--gone", "0.2", "--save", "saved"}), folder_.path());
  server.await_output("serving at");
  const auto refused = run_tandem(workers("1", {"async", "3", "none", address}), folder_.path());
  EXPECT_TRUE(has_text(refused.err, "update-10.snapshot")) << refused.out << refused.err;
  EXPECT_EQ(server.wait().status, 4);
}

TEST_F(ServeParameters, NamesWhatDoesNotFit) {
  expect_refused({"serve-parameters"}, 2,
                 "parameter server: this process must have the role ps, or be given an address; it is chief 0 by one "
                 "process");
  expect_refused(serve("10.0.0.5:2222"), 2, "server at 10.0.0.5:2222: a key must be given to listen beyond loopback");
  expect_refused(serve("127.0.0.1:0", {"--key", "none.key"}), 3,
                 "key file none.key: there is none; tandem serve-parameters --new-key makes one");
  expect_refused(serve("127.0.0.1:0", {"--save-every", "5"}), 2, "--save-every requires --save");
  expect_refused(serve("127.0.0.1:0", {"--ps_hosts", "127.0.0.1:1"}), 2, "--address excludes --ps_hosts");
  expect_refused(serve("127.0.0.1:0", {"--threads", "0"}), 2,
                 "--threads: must be a whole number from 1 to 1024, got '0'");
}

}  // namespace
}  // namespace tandem::testing
