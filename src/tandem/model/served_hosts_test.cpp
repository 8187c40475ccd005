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
#include "tandem/model/parity_case_test.h"
#include "tandem/model/served_hosts_case_test.h"
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
using parity::normal;
using parity::one_hot;
using testing::message_of;
using namespace per_host;

constexpr int64_t kElements = 6 * 5 + 5 + 5 * 3 + 3;

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
    models.back().compile(hosts_compile(Optimizer::make(optimizer.get()->class_name(), optimizer.get()->get_config()),
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
  model.compile(hosts_compile(optimizer, strategy));
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
  model.compile(hosts_compile(optimizers::SGD(), ParameterServer(hosts(4, 4, "all-reduce", 3))));
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
  central.compile(hosts_compile(optimizers::SGD(), ParameterServer(options)));
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
                        hosts_compile(optimizers::SGD({.learning_rate = 0.0})),
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
            hosts_compile(optimizers::SGD({.learning_rate = 0.1}), ParameterServer(hosts(4, 2, way, every, mode))));
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
      model.compile(hosts_compile(optimizers::SGD(), ParameterServer(hosts(4, 2, way, 1, mode))));
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
    model.compile(hosts_compile(optimizers::SGD({.learning_rate = 0.1}), strategy));
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

}  // namespace
}  // namespace tandem
