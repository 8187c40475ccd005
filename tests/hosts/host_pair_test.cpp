// Jobs of one rank on each of two hosts: over links that are slow, cut, or gone with their host.
#include "host_pair.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "tandem/comm/job_key.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::testing {
namespace {

class Hosts : public OnHosts {
 protected:
  // Rank `host` of two, with the key of this job.
  std::unique_ptr<Program> start(int host, const std::vector<std::string>& words, const Program::Variables& more = {}) {
    Program::Variables variables{{"RANK", std::to_string(host)}, {"WORLD_SIZE", "2"},          {"LOCAL_RANK", "0"},
                                 {"LOCAL_WORLD_SIZE", "1"},      {"MASTER_ADDR", "10.99.0.1"}, {"MASTER_PORT", "29500"},
                                 {"TANDEM_JOB_KEY", key_.secret}};
    for (const auto& [name, value] : more) variables[name] = value;
    return std::make_unique<Program>(pair_->on(host, words), variables);
  }
  std::vector<std::unique_ptr<Program>> start_both(const std::vector<std::string>& words,
                                                   const Program::Variables& more = {}) {
    std::vector<std::unique_ptr<Program>> ranks;
    ranks.reserve(2);
    for (int host = 0; host < 2; ++host) ranks.push_back(start(host, words, more));
    return ranks;
  }
  // Both in the midst of exchanges, of which each may take 5 s.
  std::vector<std::unique_ptr<Program>> start_exchanging() {
    auto ranks = start_both({kExchange, "steps=1000000", "pause=0.005", "limit=5"});
    ranks[0]->await_output("rank 0: step 3\n");
    ranks[1]->await_output("rank 1: step 3\n");
    return ranks;
  }
  static void expect_names_the_other(Program& rank, const std::string& own, const std::string& other) {
    EXPECT_EQ(rank.wait(), 4);
    const auto begin = "error: rank " + own + ": all_reduce: rank " + other + " is lost or late: ";
    EXPECT_NE(rank.output().find(begin), std::string::npos) << rank.output().substr(rank.output().size() / 2);
  }

  const comm::JobKey key_ = comm::JobKey::fresh();
};

TEST_F(Hosts, MeetWithAJobKey) {
  const auto ranks = start_both({kDdp});
  expect_success(ranks);
  EXPECT_NE(ranks[0]->output().find("ddp: ok\n"), std::string::npos) << ranks[0]->output();
  EXPECT_NE(ranks[0]->output().find(
                "[WARNING] Gloo's connections between hosts are neither encrypted nor authenticated: use a network"),
            std::string::npos)
      << ranks[0]->output();
  EXPECT_EQ(pair_->bytes_received(0, "data0") / 10000, 0);  // all went the way to rank 0
}

TEST_F(Hosts, MeetByAddressesOfIpv6) {
  const auto ranks = start_both({kExchange, "elements=100000"}, {{"MASTER_ADDR", "fd99::1"}});
  expect_success(ranks);
  EXPECT_GT(pair_->bytes_received(1, "meet0"), 3 * 400000);
}

TEST_F(Hosts, DoNotMeetWithoutOne) {
  auto zero = start(0, {kExchange}, {{"TANDEM_JOB_KEY", ""}});
  EXPECT_EQ(zero->wait(), 1);
  EXPECT_EQ(zero->output(),
            "error: meeting at 10.99.0.1:29500: a job key (TANDEM_JOB_KEY) must be set to listen beyond loopback\n");
}

TEST_F(Hosts, MeetByAFileUnderSlurm) {
  const TemporaryFolder folder;
  const auto srun = [&](int host, const std::string& interface) {
    return std::make_unique<Program>(pair_->on(host, {kExchange, "limit=20"}),
                                     Program::Variables{{"SLURM_JOB_ID", "1"},
                                                        {"SLURM_STEP_ID", "0"},
                                                        {"SLURM_PROCID", std::to_string(host)},
                                                        {"SLURM_LOCALID", "0"},
                                                        {"SLURM_NODEID", std::to_string(host)},
                                                        {"SLURM_STEP_NUM_TASKS", "2"},
                                                        {"SLURM_STEP_NODELIST", "node[1-2]"},
                                                        {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"},
                                                        {"TANDEM_INTERFACE", interface},
                                                        {"TANDEM_MEETING_DIR", folder.path()}});
  };
  auto untold = srun(0, "");
  EXPECT_EQ(untold->wait(), 1);
  EXPECT_NE(untold->output().find("whose name does not tell; there are "), std::string::npos) << untold->output();
  EXPECT_NE(untold->output().find("meet0 (10.99.0.1)"), std::string::npos) << untold->output();
  std::vector<std::unique_ptr<Program>> ranks;
  ranks.reserve(2);
  for (int host = 0; host < 2; ++host) ranks.push_back(srun(host, "meet0"));
  expect_success(ranks);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(Hosts, ExchangeOverTheInterfaceThatIsNamed) {  // U40
  const auto ranks = start_both({kExchange, "elements=1000000", "interface=ib*,data?"});
  expect_success(ranks);
  for (int host = 0; host < 2; ++host) {
    EXPECT_GT(pair_->bytes_received(host, "data0"), 3 * 4000000);
    EXPECT_LT(pair_->bytes_received(host, "meet0"), 4000000);
  }
}

TEST_F(Hosts, ExchangeOverASlowLink) {
  for (int host = 0; host < 2; ++host) {
    pair_->run(host, {"tc", "qdisc", "add", "dev", "meet0", "root", "tbf", "rate", "50mbit", "burst", "64kb", "latency",
                      "100ms"});
  }
  const auto ranks = start_both({kExchange, "elements=500000"});
  expect_success(ranks);
  EXPECT_GT(pair_->bytes_received(1, "meet0"), 3 * 2000000);
}

TEST_F(Hosts, ExchangeOverALongWay) {
  if (::geteuid() != 0 && ::access("/dev/net/tun", R_OK | W_OK) != 0) GTEST_SKIP() << "only root may use /dev/net/tun";
  constexpr double kWay = 0.05;  // seconds
  pair_->add_far_link(kWay);
  const double start = steady_seconds();
  const auto ranks = start_both({kExchange, "elements=100000", "steps=5", "limit=20"}, {{"MASTER_ADDR", "10.97.0.1"}});
  expect_success(ranks);
  EXPECT_GT(steady_seconds() - start, 5 * kWay);  // no sum before the other's part has come
  EXPECT_GT(pair_->bytes_received(1, "far"), 5 * 400000);
}

TEST_F(Hosts, TrainToTheBitsOfOneProcess) {  // also with several ranks on each
  const auto train = [](const std::string& devices) {
    return std::vector<std::string>{kTandem, "train",        "cnn", "--epochs",      "1", "--steps",   "4",    "--seed",
                                    "3",     "--batch-size", "17",  "--fixed-order", "4", "--devices", devices};
  };
  Program one(train("cpu:0"));
  ASSERT_EQ(one.wait(), 0) << one.output();
  const auto text = one.output();
  const auto begin = text.find("SHA-256 of the weights: ");
  ASSERT_NE(begin, std::string::npos) << text;
  const auto digest = text.substr(begin, text.find('\n', begin) - begin);
  for (const std::string devices : {"auto", "cpu*2"}) {
    const auto ranks = start_both(train(devices));
    expect_success(ranks);
    EXPECT_NE(ranks[0]->output().find(digest), std::string::npos) << devices << ": " << ranks[0]->output() << digest;
  }
}

TEST_F(Hosts, NameEachOtherWhenTheLinkIsCut) {
  const auto ranks = start_exchanging();
  pair_->run(1, {"ip", "link", "set", "meet0", "down"});
  expect_names_the_other(*ranks[0], "0", "1");
  expect_names_the_other(*ranks[1], "1", "0");
}

TEST_F(Hosts, NameTheHostThatIsGone) {
  for (const int gone : {0, 1}) {
    if (gone == 1) pair_ = std::make_unique<HostPair>();
    const auto ranks = start_exchanging();
    pair_->leave(gone);
    ranks[static_cast<std::size_t>(gone)]->send(SIGKILL);
    expect_names_the_other(*ranks[static_cast<std::size_t>(1 - gone)], std::to_string(1 - gone), std::to_string(gone));
  }
}

// What a stage of a pipeline hands to the one on the other host goes by sockets of ZeroMQ.
class StagesOnHosts : public Hosts {
 protected:
  std::vector<std::string> train(const std::string& epochs, const std::string& history) const {
    return {kTandem,
            "train",
            "mlp",
            "--data",
            "digits",
            "--epochs",
            epochs,
            "--steps",
            "3",
            "--batch-size",
            "17",
            "--seed",
            "3",
            "--strategy",
            "pipeline",
            "--threads-per-device",
            "1",
            "--history",
            folder_.file(history),
            "--verbose",
            "2"};
  }
  std::string history(const std::string& name) const {
    std::ifstream file(folder_.file(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(StagesOnHosts, GiveTheNumbersOfOneProcess) {
  auto words = train("2", "one.csv");
  words.insert(words.end(), {"--devices", "cpu*2"});
  Program one(words);
  ASSERT_EQ(one.wait(), 0) << one.output();
  EXPECT_NE(history("one.csv").find("accuracy"), std::string::npos);
  for (const std::string address : {"10.99.0.1", "fd99::1"}) {
    const auto file = "two " + address + ".csv";
    expect_success(start_both(train("2", file), {{"MASTER_ADDR", address}}));
    EXPECT_EQ(history(file), history("one.csv")) << address;
  }
}

TEST_F(StagesOnHosts, OneThatIsLostIsNamed) {
  const auto ranks = start_both(train("100000", "never.csv"));
  ranks[0]->await_output("Epoch 2/100000");
  ranks[1]->send(SIGKILL);
  EXPECT_EQ(ranks[0]->wait(), 4);
  EXPECT_NE(ranks[0]->output().find("rank 1 is lost"), std::string::npos) << ranks[0]->output();
  EXPECT_NE(ranks[0]->output().find("tandem: fit, step "), std::string::npos) << ranks[0]->output();
}

}  // namespace
}  // namespace tandem::testing
