// The acceptance program ddp as users start it, and network interfaces by name.
#include <gtest/gtest.h>

#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "program.h"

namespace tandem::testing {
namespace {

TEST(Launches, TandemLaunch) {
  Program job({kTandem, "launch", "-n", "2", "--", kDdp});
  EXPECT_EQ(job.wait(), 0) << job.output();
  EXPECT_EQ(job.output(), "[0] ddp: ok\n");
}

// As torchrun --no-python --nproc-per-node 2 of PyTorch 2.15 sets them, whose agent has the store.
TEST(Launches, TorchrunsVariables) {
  const auto agent = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", [] {
    c10d::TCPStoreOptions options;
    options.isServer = true;
    options.port = 0;
    return options;
  }());
  std::vector<std::unique_ptr<Program>> ranks;
  for (const std::string rank : {"0", "1"}) {
    ranks.push_back(std::make_unique<Program>(
        std::vector<std::string>{kDdp},
        Program::Variables{{"GROUP_RANK", "0"},
                           {"GROUP_WORLD_SIZE", "1"},
                           {"LOCAL_RANK", rank},
                           {"LOCAL_WORLD_SIZE", "2"},
                           {"MASTER_ADDR", "localhost"},
                           {"MASTER_PORT", std::to_string(agent->getPort())},
                           {"OMP_NUM_THREADS", "1"},
                           {"RANK", rank},
                           {"ROLE_NAME", "default"},
                           {"ROLE_RANK", rank},
                           {"ROLE_WORLD_SIZE", "2"},
                           {"TORCHELASTIC_MAX_RESTARTS", "0"},
                           {"TORCHELASTIC_RESTART_COUNT", "0"},
                           {"TORCHELASTIC_RUN_ID", "8d1bc17f-5610-4518-bb60-f08cae2b33ac"},
                           {"TORCHELASTIC_SIGNALS_TO_HANDLE", "SIGTERM,SIGINT,SIGHUP,SIGQUIT"},
                           {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                           {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "1"},
                           {"WORLD_SIZE", "2"}}));
  }
  expect_success(ranks);
  EXPECT_EQ(ranks[0]->output(), "ddp: ok\n");
}

TEST(Interface, IsTakenByName) {  // U40
  const std::vector<std::string> start{kTandem, "launch", "-n", "2", "--", kExchange, "backend=gloo"};
  auto by_option = start;
  by_option.emplace_back("interface=nope0,l?");
  Program option(by_option);
  EXPECT_EQ(option.wait(), 0) << option.output();
  for (const char* variable : {"TANDEM_INTERFACE", "GLOO_SOCKET_IFNAME"}) {
    Program named(start, {{variable, "lo"}});
    EXPECT_EQ(named.wait(), 0) << named.output();
    Program wrong(start, {{variable, "nope0"}});
    EXPECT_EQ(wrong.wait(), 1);
    EXPECT_NE(
        wrong.output().find(std::string(variable) + ": no network interface is called 'nope0'; there are lo (127."),
        std::string::npos)
        << wrong.output();
  }
}

}  // namespace
}  // namespace tandem::testing
