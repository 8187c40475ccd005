// Topology per-host: groups of workers with a parameter server each, which average their parameters.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numeric>

#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/data/divide_rows.h"
#include "tandem/distribution/parameter_server.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lambda.h"
#include "tandem/layers/regularizers.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/model/processes_case_test.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/servers/server.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;
using distribute::ParameterServer;
using distribute::ParameterServerOptions;
using parity::Grid;
using parity::normal;
using parity::one_hot;
using testing::message_of;

const std::vector<std::string> kWays{"all-reduce", "ring", "async-scatter-sum"}, kModes{"sync", "stale", "async"};
constexpr int64_t kElements = 6 * 5 + 5 + 5 * 3 + 3;

Model hosts_network() {
  return Sequential({Input({6}), Dense(5, {.activation = "tanh", .kernel_regularizer = regularizers::L2(0.1)}),
                     Dense(3, {.activation = "softmax"})});
}

CompileOptions compiled(const Handle<Optimizer>& optimizer, const distribute::Strategy& strategy = {}) {
  return {.optimizer = optimizer, .loss = "categorical_crossentropy", .metrics = {"accuracy"}, .strategy = strategy};
}

// Groups of workers in this process.
ParameterServerOptions hosts(int64_t workers, int64_t servers, const std::string& way, int64_t every,
                             const std::string& mode = "sync") {
  return {.workers = Devices::parse("cpu*" + std::to_string(workers)),
          .servers = servers,
          .server_sync = way,
          .sync_every = every,
          .threads_per_device = 1,
          .mode = mode,
          .staleness = mode == "stale" ? 2 : -1,
          .bucket_bytes = 256};
}

constexpr int64_t kBatch = 8, kEpochs = 2;

std::vector<Tensor> mean_of(const std::vector<Model>& models) {
  std::vector<Tensor> mean;
  for (const auto& model : models) {
    const auto own = model.get_weights();
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (mean.size() < own.size()) mean.push_back(at::zeros_like(own[i]));
      mean[i] = mean[i] + own[i] / static_cast<double>(models.size());
    }
  }
  return mean;
}

// Local SGD with a model for each host, which is given the rows of its workers.
std::vector<Tensor> plain_hosts(const Handle<Optimizer>& optimizer, const Tensor& x, const Tensor& y, int64_t workers,
                                int64_t count, int64_t every) {
  std::vector<Model> models;
  for (int64_t h = 0; h < count; ++h) {
    clear_session();
    set_random_seed(11);
    models.push_back(hosts_network());
    models.back().compile(compiled(Optimizer::make(optimizer.get()->class_name(), optimizer.get()->get_config()),
                                   distribute::SingleDevice("cpu:0")));
  }
  int64_t since = 0;  // updates
  const auto average = [&] {
    since = 0;
    const auto mean = mean_of(models);
    for (auto& model : models) model.set_weights(mean);
  };
  for (int64_t epoch = 0; epoch < kEpochs; ++epoch) {
    for (int64_t begin = 0; begin < x.size(0); begin += kBatch) {
      const auto rows = data::divide_rows(std::min(kBatch, x.size(0) - begin), workers);
      int64_t at = begin;
      for (int64_t h = 0; h < count; ++h) {
        const auto first = rows.begin() + h * workers / count;
        const int64_t own = std::accumulate(first, first + workers / count, int64_t{0});
        if (own > 0) models[static_cast<std::size_t>(h)].train_on_batch(x.narrow(0, at, own), y.narrow(0, at, own));
        at += own;
      }
      if (++since == every) average();
    }
    average();
  }
  return models[0].get_weights();
}

std::vector<Tensor> trained(const Handle<Optimizer>& optimizer, const Tensor& x, const Tensor& y,
                            const distribute::Strategy& strategy, int64_t accumulate = 1) {
  clear_session();
  set_random_seed(11);
  Model model = hosts_network();
  model.compile(compiled(optimizer, strategy));
  model.fit(x, y, {.batch_size = kBatch, .epochs = kEpochs, .verbose = 0, .shuffle = false, .accumulate = accumulate});
  return model.get_weights();
}

void expect_close(const std::vector<Tensor>& got, const std::vector<Tensor>& want) {
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(testing::difference(got[i], want[i], 1e-5), "") << i;
}

// The mean of the hosts' steps by as many rows each is the step by all of them.
TEST(ServedHostsSync, AveragedAfterEachUpdatePlainSGDIsThatOfOneDevice) {
  const Tensor x = normal({24, 6}, 1), y = one_hot(24, 3, 2);
  const auto sgd = [] { return optimizers::SGD({.learning_rate = 0.2}); };
  for (const int64_t accumulate : {1, 2}) {
    const auto want = trained(sgd(), x, y, distribute::SingleDevice("cpu:0"), accumulate);
    for (const std::string way : {"all-reduce", "ring"}) {
      for (const auto& [workers, servers] : {std::pair(2, 2), std::pair(4, 2), std::pair(4, 4), std::pair(2, 1)}) {
        SCOPED_TRACE(way + " " + std::to_string(workers) + " " + std::to_string(servers));
        expect_close(trained(sgd(), x, y, ParameterServer(hosts(workers, servers, way, 1)), accumulate), want);
      }
    }
  }
}

TEST(ServedHostsSync, IsLocalSGDOfTheHostsOwnRows) {
  for (const int64_t rows : {24, 25}) {  // the last batch of 25 has one row: the second host makes no update
    const Tensor x = normal({rows, 6}, 1), y = one_hot(rows, 3, 2);
    for (const int64_t every : {1, 2, 0}) {
      for (const bool adam : {false, true}) {
        const auto rule = [&]() -> Handle<Optimizer> {
          if (adam) return optimizers::Adam({.learning_rate = 0.02, .global_clipnorm = 0.5});
          return optimizers::SGD({.learning_rate = 0.2, .momentum = 0.9});
        };
        const auto want = plain_hosts(rule(), x, y, 4, 2, every);
        for (const std::string way : {"all-reduce", "ring"}) {
          SCOPED_TRACE(way + ", every " + std::to_string(every) + ", " + std::to_string(rows) + " rows");
          expect_close(trained(rule(), x, y, ParameterServer(hosts(4, 2, way, every))), want);
        }
      }
    }
  }
}

TEST(ServedHosts, CountWhatGoesBetweenThem) {
  const Tensor x = normal({24, 6}, 1), y = one_hot(24, 3, 2);
  Model model = hosts_network();
  model.compile(compiled(optimizers::SGD(), ParameterServer(hosts(4, 4, "all-reduce", 3))));
  for (int fit = 0; fit < 2; ++fit) {
    const auto history = model.fit(x, y, {.batch_size = 8, .epochs = 2, .verbose = 0});
    EXPECT_EQ(history.facts().server_rounds, 2 + 2);  // of 6 updates, and at the ends of the epochs
    const auto each = history.facts().server_bytes / history.facts().server_rounds;
    EXPECT_GE(each, 4 * 3 * 4 * kElements);             // of 4 servers, each to 3
    EXPECT_LT(each, 4 * 3 * 4 * (kElements + 4 * 16));  // with gaps behind 4 weights
    EXPECT_EQ(history.facts().staleness, std::vector<int64_t>{4 * 6});
  }
  Model central = hosts_network();
  auto options = hosts(4, 4, "", 1);
  central.compile(compiled(optimizers::SGD(), ParameterServer(options)));
  EXPECT_EQ(central.fit(x, y, {.epochs = 1, .verbose = 0}).facts().server_rounds, 0);
}

// Whichever worker makes a step, at a rate of 0.
TEST(ServedHosts, FiguresAreThoseOfAllRows) {
  for (const auto& mode : kModes) {
    for (const auto& way : kWays) {
      SCOPED_TRACE(mode + " " + way);
      parity::Task task{[] {
                          return Sequential({Input({6}), Dense(3, {.activation = "softmax"})});
                        },
                        compiled(optimizers::SGD({.learning_rate = 0.0})),
                        normal({25, 6}, 1),
                        one_hot(25, 3, 2),
                        {.batch_size = 7, .epochs = 2}};
      parity::expect_same(parity::train(task, ParameterServer(hosts(4, 2, way, 1, mode))), parity::train(task, 1));
    }
  }
}

TEST(ServedHosts, LearnInEachModeAndWay) {
  const Tensor x = normal({64, 6}, 1), y = one_hot(64, 3, 2);
  for (const auto& mode : kModes) {
    for (const auto& way : kWays) {
      for (const int64_t every : {0, 1, 5}) {
        SCOPED_TRACE(mode + " " + way + " " + std::to_string(every));
        const testing::CapturedLog log;
        clear_session();
        set_random_seed(11);
        Model model = hosts_network();
        model.compile(
            compiled(optimizers::SGD({.learning_rate = 0.1}), ParameterServer(hosts(4, 2, way, every, mode))));
        const auto history = model.fit(x, y, {.batch_size = 4, .epochs = 6, .verbose = 0});
        EXPECT_LT(history["loss"].back(), history["loss"].front());
        EXPECT_GE(history.facts().server_rounds, 6);
        EXPECT_TRUE(mode != "stale" || history.max_staleness() <= 2);
        model = Model();
        for (const auto& warning : log.warnings()) EXPECT_EQ(warning.find("server"), std::string::npos) << warning;
      }
    }
  }
}

TEST(ServedHosts, AStepThatFailsSaysWhyAndTrainingCanGoOn) {
  for (const auto& mode : kModes) {
    for (const auto& way : kWays) {
      SCOPED_TRACE(mode + " " + way);
      std::atomic<int64_t> calls_until{-1};
      const auto faulty = [&](const Tensor& x) {
        if (calls_until >= 0 && calls_until-- == 0) throw DataError("row 3 is bad");
        return x * 1;
      };
      Model model =
          Sequential({Input({6}), Lambda(faulty, {.output_shape = {6}}), Dense(3, {.activation = "softmax"})});
      model.compile(compiled(optimizers::SGD(), ParameterServer(hosts(4, 2, way, 1, mode))));
      const Tensor x = normal({48, 6}, 1), y = one_hot(48, 3, 2);
      const FitOptions fit{.batch_size = 6, .epochs = 1, .verbose = 0};
      model.fit(x, y, fit);
      calls_until = 7;
      EXPECT_EQ(message_of<DataError>([&] { model.fit(x, y, fit); }), "row 3 is bad");
      calls_until = -1;
      EXPECT_TRUE(std::isfinite(model.fit(x, y, fit)["loss"][0]));
    }
  }
}

TEST(ServedHosts, GoOnFromWeightsAndStateThatAreSet) {
  const Tensor x = normal({16, 6}, 1), y = one_hot(16, 3, 2);
  const auto run = [&](const distribute::Strategy& strategy) {
    clear_session();
    set_random_seed(3);
    Model model = hosts_network();
    model.compile(compiled(optimizers::SGD({.learning_rate = 0.1}), strategy));
    const FitOptions fit{.batch_size = 8, .epochs = 1, .verbose = 0};
    model.fit(x, y, fit);
    auto weights = model.get_weights();
    for (auto& w : weights) w = w * 0.5;
    model.set_weights(weights);
    model.fit(x, y, fit);
    model.train_on_batch(x, y);
    model.evaluate(x, y, {.verbose = 0});
    return model.get_weights();
  };
  expect_close(run(ParameterServer(hosts(4, 2, "all-reduce", 1))), run(distribute::SingleDevice("cpu:0")));
}

TEST(ServedHosts, RefuseWhatDoesNotFit) {
  const auto why = [](ParameterServerOptions options) { return message_of([&] { ParameterServer{options}; }); };
  EXPECT_EQ(why(hosts(3, 2, "ring", 1)),
            "ParameterServer: workers must be a multiple of the servers with server_sync, got 3 for 2 servers");
  EXPECT_EQ(why(hosts(2, 2, "rings", 1)), "server_sync: must be all-reduce, ring or async-scatter-sum, got 'rings'");
  EXPECT_EQ(why(hosts(2, 2, "ring", -1)), "ParameterServer: sync_every must be at least 0, got -1");
  EXPECT_EQ(why(hosts(2, 2, "", 2)), "ParameterServer: sync_every must be set with server_sync alone, got 2");
  auto fixed = hosts(2, 2, "ring", 1);
  fixed.fixed_order = 2;
  EXPECT_EQ(
      why(fixed),
      "ParameterServer: fixed_order must not be set with server_sync, where the numbers are those of so many hosts");
}

// Processes as threads of the test, with servers of their own.
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
            compiled(optimizers::SGD({.learning_rate = rate})),
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
      model.compile(compiled(optimizers::SGD(), ParameterServer(options)));
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
