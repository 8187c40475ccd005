// Topology per-host over processes, which are threads of the test, with servers of their own.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tandem/core/error.h"
#include "tandem/distribution/parameter_server.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/model/processes_case_test.h"
#include "tandem/model/served_hosts_case_test.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/servers/server.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using distribute::ParameterServer;
using parity::Grid;
using parity::normal;
using parity::one_hot;
using testing::message_of;
using namespace per_host;

class ServedHostsOfProcesses : public ::testing::TestWithParam<Grid> {
 protected:
  parity::MakeStrategy served(const std::string& mode, const std::string& way, int64_t every = 1) {
    start(2, way, every);
    return [addresses = addresses_, mode, way, every](const distribute::ProcessGroup& group, const Devices& own) {
      return ParameterServer({.group = group,
                              .workers = own,
                              .addresses = addresses,
                              .server_sync = way,
                              .sync_every = every,
                              .threads_per_device = 1,
                              .mode = mode,
                              .staleness = mode == "stale" ? 2 : -1,
                              .bucket_bytes = 256});
    };
  }
  void start(int64_t count, const std::string& way, int64_t every) {
    static std::atomic<int> number = 0;
    servers_.clear();
    addresses_.clear();
    for (int64_t s = 0; s < count; ++s) addresses_.push_back("inproc://served-host-" + std::to_string(++number));
    for (int64_t s = 0; s < count; ++s) {
      servers_.push_back(std::make_unique<servers::Server>(
          servers::ServerOptions{.hosts = addresses_, .host = s, .server_sync = way, .sync_every = every}));
    }
  }
  void expect_end() {
    for (auto& server : servers_) server->wait();
    servers_.clear();
  }
  static parity::Task task(double rate) {
    return {hosts_network,
            hosts_compile(optimizers::SGD({.learning_rate = rate})),
            normal({64, 6}, 1),
            one_hot(64, 3, 2),
            {.batch_size = 8, .epochs = 3}};
  }

  std::vector<std::string> addresses_;
  std::vector<std::unique_ptr<servers::Server>> servers_;
};

TEST_P(ServedHostsOfProcesses, InSyncPlainSGDIsThatOfOneDevice) {
  const auto one = parity::train(task(0.2), 1);
  for (const std::string way : {"all-reduce", "ring"}) {
    for (const auto& got : parity::train_with(task(0.2), GetParam(), served("sync", way)))
      parity::expect_same(got, one);
    expect_end();
  }
}

TEST_P(ServedHostsOfProcesses, AllEndWithTheSameWeightsAndHistory) {
  for (const auto& mode : kModes) {
    for (const auto& way : kWays) {
      for (const int64_t every : {0, 1, 3}) {
        SCOPED_TRACE(mode + " " + way + " " + std::to_string(every));
        const auto all = parity::train_with(task(0.1), GetParam(), served(mode, way, every));
        EXPECT_LT(all[0].history["loss"].back(), all[0].history["loss"].front());
        int64_t rows = 0;
        for (const auto& got : all) {
          for (std::size_t i = 0; i < all[0].weights.size(); ++i)
            EXPECT_TRUE(at::equal(got.weights[i], all[0].weights[i])) << i;
          for (const auto& [name, values] : all[0].history.series()) EXPECT_EQ(got.history[name], values) << name;
          for (const auto own : got.history.rows_per_device()) rows += own;
        }
        EXPECT_EQ(rows, 3 * 64);
        EXPECT_GE(all[0].history.facts().server_rounds, 3);  // one that comes late counts fewer
        EXPECT_GT(all[0].history.facts().server_bytes, 0);
        expect_end();
      }
    }
  }
}

// Whatever weights the others had.
TEST_P(ServedHostsOfProcesses, BeginWithTheFirstOnesWeights) {
  for (const auto& mode : kModes) {
    const auto make = served(mode, "all-reduce");
    std::atomic<int> number = 0;
    auto what = task(0.0);
    what.build = [&] {
      Model model = hosts_network();
      auto weights = model.get_weights();
      for (auto& w : weights) w = at::full_like(w, ++number);
      model.set_weights(weights);
      return model;
    };
    const auto all = parity::train_with(what, GetParam(), make);
    for (const auto& got : all) {
      for (std::size_t i = 0; i < got.weights.size(); ++i)
        EXPECT_TRUE(got.weights[i].eq(static_cast<double>(i + 1)).all().item<bool>()) << mode << got.weights[i];
    }
    expect_end();
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, ServedHostsOfProcesses, ::testing::Values(Grid{2, 1}, Grid{2, 2}, Grid{4, 1}),
                         [](const auto& info) {
                           return std::to_string(info.param.processes) + "x" + std::to_string(info.param.devices);
                         });

// Fails in its second batch, where it is told to.
struct FailingInFit : Callback {
  explicit FailingInFit(bool fails) : fails(fails) {}
  void on_train_batch_end(int64_t batch, Logs&) override {
    if (fails && batch == 1) throw DataError("the disk is full");
  }
  bool fails;
};

// Also the one whose server keeps the work desk, which the others go on using.
TEST_F(ServedHostsOfProcesses, OneThatFailsIsNotWaitedFor) {
  for (const int64_t failing : {0, 1}) {
    for (const auto& way : kWays) {
      SCOPED_TRACE(way + " " + std::to_string(failing));
      auto what = task(0.1);
      parity::on_grid_with({2, 1}, what.build, what.compile, served("async", way), [&](Model& model, int64_t process) {
        const auto fit = [&] {
          return model.fit(what.x, what.y,
                           {.batch_size = 8,
                            .epochs = 3,
                            .verbose = 0,
                            .callbacks = {std::make_shared<FailingInFit>(process == failing)}});
        };
        if (process == failing) {
          EXPECT_EQ(message_of<DataError>([&] { fit(); }), "the disk is full");
          model = Model();  // it leaves
          return;
        }
        EXPECT_EQ(fit()["loss"].size(), 3U);
      });
      expect_end();
    }
  }
}

TEST_F(ServedHostsOfProcesses, ServersThatDoNotAverageAreToldOf) {
  const auto begin = [&](const distribute::ParameterServerOptions& options) {
    return message_of([&] {
      Model model = hosts_network();
      model.compile(hosts_compile(optimizers::SGD(), ParameterServer(options)));
      model.fit(normal({8, 6}, 1), one_hot(8, 3, 2), {.verbose = 0});
    });
  };
  servers::Server alone;
  const auto apart =
      begin({.workers = {"cpu:0"}, .addresses = {alone.address()}, .server_sync = "ring", .threads_per_device = 1});
  EXPECT_NE(apart.find("expects servers that average (server_sync ring), this one was told of no others"),
            std::string::npos)
      << apart;
  start(1, "all-reduce", 2);
  const auto other =
      begin({.workers = {"cpu:0"}, .addresses = addresses_, .server_sync = "ring", .threads_per_device = 1});
  EXPECT_NE(other.find("expects server_sync ring with sync_every 1, this server has all-reduce with 2"),
            std::string::npos)
      << other;
}

}  // namespace
}  // namespace tandem
