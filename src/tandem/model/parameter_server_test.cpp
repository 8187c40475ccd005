// Training with parameter servers within one process.
#include "tandem/distribution/parameter_server.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/data/per_device.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/constraints.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lambda.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/model/training_job.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/exponential_decay.h"
#include "tandem/optimizers/lamb.h"
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

Model small_network() {
  return Sequential({Input({6}), Dense(17, {.activation = "relu"}), Dropout(0.2), Dense(9, {.activation = "tanh"}),
                     Dense(3, {.activation = "softmax"})});
}
constexpr int64_t kParameters = (6 * 17 + 17) + (17 * 9 + 9) + (9 * 3 + 3);

parity::Task task_with(const Handle<Optimizer>& optimizer) {
  return {small_network,
          {.optimizer = optimizer, .loss = "categorical_crossentropy", .metrics = {"accuracy"}},
          normal({25, 6}, 1),
          one_hot(25, 3, 2),
          {.batch_size = 7, .epochs = 3}};
}

ParameterServerOptions served(int64_t workers, int64_t servers, const std::string& mode = "sync") {
  return {.workers = Devices::parse("cpu*" + std::to_string(workers)),
          .servers = servers,
          .threads_per_device = 1,
          .mode = mode,
          .staleness = mode == "stale" ? 2 : -1,
          .bucket_bytes = 256};  // several blocks a weight
}

TEST(ParameterServerSync, GivesWhatOneDeviceGivesWithAnyNumberOfServers) {
  const std::vector<Handle<Optimizer>> optimizers{
      optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}), optimizers::Adam({.learning_rate = 0.02}),
      optimizers::Adam({.learning_rate = 0.02, .clipnorm = 0.1}),
      optimizers::SGD({.learning_rate = 0.1, .clipvalue = 0.01}), optimizers::Lamb({.learning_rate = 0.02})};
  for (const auto& optimizer : optimizers) {
    SCOPED_TRACE(&optimizer - optimizers.data());
    const auto task = task_with(optimizer);
    const auto one = parity::train(task, 1);
    for (const int64_t workers : {1, 2, 3}) {
      for (const int64_t servers : {1, 2, 3}) {
        SCOPED_TRACE(std::to_string(workers) + " workers, " + std::to_string(servers) + " servers");
        parity::expect_same(parity::train(task, ParameterServer(served(workers, servers))), one);
      }
    }
  }
}

TEST(ParameterServerSync, GlobalNormOnOneServerScheduleAndAccumulation) {
  auto clipped = task_with(optimizers::SGD({.learning_rate = 0.1, .global_clipnorm = 0.1}));
  parity::expect_same(parity::train(clipped, ParameterServer(served(3, 1))), parity::train(clipped, 1));
  auto task = task_with(optimizers::SGD({.learning_rate = schedules::ExponentialDecay(0.2, 2, 0.5), .momentum = 0.9}));
  parity::expect_same(parity::train(task, ParameterServer(served(2, 2))), parity::train(task, 1));
  task.fit.accumulate = 2;
  parity::expect_same(parity::train(task, ParameterServer(served(2, 2))), parity::train(task, 1));
}

TEST(ParameterServerSync, FixedOrderGivesTheBitsOfMirrored) {
  const auto task = task_with(optimizers::Adam({.learning_rate = 0.02}));
  const auto want =
      parity::train(task, distribute::Mirrored({.devices = {"cpu:0"}, .threads_per_device = 1, .fixed_order = 4}));
  for (const int64_t workers : {1, 2, 4}) {
    for (const int64_t servers : {1, 3}) {
      auto options = served(workers, servers);
      options.fixed_order = 4;
      const auto got = parity::train(task, ParameterServer(options));
      for (std::size_t i = 0; i < want.weights.size(); ++i)
        EXPECT_TRUE(at::equal(got.weights[i], want.weights[i])) << workers << ", " << servers << ", weight " << i;
    }
  }
}

TEST(ParameterServerSync, ProjectsWeightsAsOneDeviceDoes) {
  for (const auto& optimizer : std::vector<Handle<Optimizer>>{optimizers::SGD({.learning_rate = 0.5, .momentum = 0.9}),
                                                              optimizers::Lamb({.learning_rate = 0.02})}) {
    auto task = task_with(optimizer);
    task.build = [] {
      return Sequential({Input({6}), Dense(17, {.activation = "tanh", .kernel_constraint = constraints::MaxNorm(0.8)}),
                         Dense(3, {.activation = "softmax",
                                   .kernel_constraint = constraints::UnitNorm({.axis = 1}),
                                   .bias_constraint = constraints::NonNeg()})});
    };
    const auto one = parity::train(task, 1);
    for (const int64_t servers : {1, 3})
      parity::expect_same(parity::train(task, ParameterServer(served(3, servers))), one);
    // In async, too: one worker's numbers are those of one device.
    parity::expect_same(parity::train(task, ParameterServer(served(1, 2, "async"))), one);
    // Weights that servers hold to their constraints are also so where the numbers are other ones.
    const auto norms = parity::train(task, ParameterServer(served(3, 2, "async"))).weights[2].square().sum(1);
    EXPECT_TRUE(at::allclose(norms, at::ones_like(norms), 1e-4));
  }
}

TEST(ParameterServerSync, CountsWhatTravels) {
  const auto task = task_with(optimizers::SGD());
  const auto history = parity::train(task, ParameterServer(served(2, 2))).history;
  const int64_t steps = 3 * 4;
  for (int64_t worker = 0; worker < 2; ++worker) {
    const int64_t least = steps * kParameters * 4;  // and small sums beside the gradients, of replicas without rows
    EXPECT_GE(history.bytes_sent(worker), least);
    EXPECT_LT(history.bytes_sent(worker), least + steps * 1000);
    EXPECT_GE(history.bytes_received(worker), least);
    EXPECT_LT(history.bytes_received(worker), least + steps * 1000);
  }
  EXPECT_EQ(history.rows_per_device(), (std::vector<int64_t>{3 * (4 + 4 + 4 + 2), 3 * (3 + 3 + 3 + 2)}));
  EXPECT_EQ(history.max_staleness(), 0);
  EXPECT_EQ(history.facts().staleness, std::vector<int64_t>{2 * 2 * steps});  // of 2 workers, on 2 servers
}

// Logical shards on one device wait for servers and for their turns while others of them compute.
TEST(ParameterServerSync, SharesOfTimeAreOfOneTime) {
  auto task = task_with(optimizers::Adam());
  task.fit.epochs = 10;
  for (const int64_t servers : {0, 2}) {
    auto options = served(2, std::max<int64_t>(servers, 1));
    options.fixed_order = 8;
    const auto strategy =
        servers > 0 ? distribute::Strategy(ParameterServer(options))
                    : distribute::Mirrored({.devices = options.workers, .threads_per_device = 1, .fixed_order = 8});
    const auto facts = parity::train(task, strategy).history.facts();
    for (std::size_t d = 0; d < 2; ++d) {
      const double sum = facts.compute_seconds[d] + facts.exchange_seconds[d] + facts.waiting_seconds[d];
      EXPECT_GT(facts.compute_seconds[d], 0);
      EXPECT_LE(sum, facts.seconds * (1 + 1e-9)) << servers << " servers";  // a sum of doubles rounds
    }
  }
}

TEST(ParameterServer, ServersGoOnFromWeightsAndStateThatAreSet) {
  for (const std::string mode : {"sync", "async"}) {
    SCOPED_TRACE(mode);
    const Tensor x = normal({16, 6}, 1), y = one_hot(16, 3, 2);
    const auto compile = [&](Model& model, const distribute::Strategy& strategy) {
      model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}),
                     .loss = "categorical_crossentropy",
                     .strategy = strategy});
    };
    const auto run = [&](const distribute::Strategy& strategy) {
      set_random_seed(3);
      Model model = small_network();
      compile(model, strategy);
      const FitOptions fit{.batch_size = 8, .epochs = 1, .verbose = 0};
      model.fit(x, y, fit);
      auto weights = model.get_weights();
      for (auto& w : weights) w = w * 0.5;
      model.set_weights(weights);
      model.set_learning_rate(0.05);
      model.fit(x, y, fit);
      model.train_on_batch(x, y);
      return model.get_weights();
    };
    const auto want = run(distribute::SingleDevice("cpu:0")), got = run(ParameterServer(served(1, 2, mode)));
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(testing::difference(got[i], want[i], 1e-6), "") << i;
  }
}

TEST(ParameterServerFree, OneWorkerGivesWhatOneDeviceGives) {
  for (const std::string mode : {"async", "stale"}) {
    for (const auto& optimizer : std::vector<Handle<Optimizer>>{
             optimizers::SGD({.learning_rate = schedules::ExponentialDecay(0.2, 2, 0.5), .momentum = 0.9}),
             optimizers::Adam({.learning_rate = 0.02, .clipnorm = 0.1})}) {
      SCOPED_TRACE(mode);
      const auto task = task_with(optimizer);
      const auto got = parity::train(task, ParameterServer(served(1, 2, mode)));
      parity::expect_same(got, parity::train(task, 1));
      EXPECT_EQ(got.history.facts().staleness, std::vector<int64_t>{2 * 3 * 4});
    }
  }
}

// A network that notes the first value of each row that it is trained with, and now and then takes its time.
class NotedRows {
 public:
  Model build(int64_t slow_every) {
    const auto note = [this, slow_every](const Tensor& x) {
      if (!on) return x / 100;
      {
        const std::lock_guard lock(mutex_);
        for (int64_t row = 0; row < x.size(0); ++row) rows_.insert(static_cast<int64_t>(x[row][0].item<float>()));
      }
      if (calls_++ % slow_every == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return x / 100;
    };
    return Sequential({Input({1}), Lambda(note, {.output_shape = {1}}), Dense(2)});
  }
  const std::multiset<int64_t>& rows() const { return rows_; }
  std::atomic<bool> on{false};

 private:
  std::atomic<int64_t> calls_{0};
  std::mutex mutex_;
  std::multiset<int64_t> rows_;
};

TEST(ParameterServerFree, EveryRowIsInOneStepWhateverTheSpeeds) {  // U55
  NotedRows noted;
  Model model = noted.build(3);
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}),
                 .loss = "mse",
                 .strategy = ParameterServer(served(3, 1, "async"))});
  const Tensor x = at::arange(100, at::kFloat).view({100, 1});
  model.predict(x);
  noted.on = true;
  const auto history = model.fit(x, at::zeros({100, 2}), {.batch_size = 7, .epochs = 2, .verbose = 0});
  noted.on = false;
  std::multiset<int64_t> want;
  for (int64_t row = 0; row < 100; ++row) want.insert({row, row});
  EXPECT_EQ(noted.rows(), want);
  const auto rows = history.rows_per_device();
  EXPECT_EQ(std::accumulate(rows.begin(), rows.end(), int64_t{0}), 200);
}

TEST(ParameterServerFree, StalenessNeverPassesItsBound) {  // U56
  for (const int64_t bound : {0, 2}) {
    NotedRows noted;
    Model model = noted.build(5);
    auto options = served(4, 2, "stale");
    options.staleness = bound;
    model.compile(
        {.optimizer = optimizers::SGD({.learning_rate = 0.01}), .loss = "mse", .strategy = ParameterServer(options)});
    noted.on = true;
    const Tensor x = at::arange(60, at::kFloat).view({60, 1});
    const auto history = model.fit(x, at::zeros({60, 2}), {.batch_size = 2, .epochs = 4, .verbose = 0});
    EXPECT_LE(history.max_staleness(), bound);
    const auto& counts = history.facts().staleness;
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), int64_t{0}), 2 * 4 * 30);  // no gradient is lost
  }
}

TEST(ParameterServerFree, MetricsAndLossesAreThoseOfAllRows) {  // with a rate of 0 whoever makes the steps
  for (const int64_t workers : {1, 3}) {
    auto task = task_with(optimizers::SGD({.learning_rate = 0.0}));
    task.build = [] { return Sequential({Input({6}), Dense(3, {.activation = "softmax"})}); };
    const auto want = parity::train(task, 1), got = parity::train(task, ParameterServer(served(workers, 1, "async")));
    parity::expect_same(got, want);
  }
}

TEST(ParameterServerFree, LossesThatGrowWithoutEndAreTold) {
  for (const bool finite : {true, false}) {
    const testing::CapturedLog log;
    Model model = Sequential({Input({6}), Dense(3)});
    model.compile({.optimizer = optimizers::SGD({.learning_rate = finite ? 0.55 : 50.0}),
                   .loss = "mse",
                   .strategy = ParameterServer(served(2, 1, "async"))});
    model.fit(normal({600, 6}, 1) * 2, normal({600, 3}, 2), {.batch_size = 2, .epochs = finite ? 1 : 2, .verbose = 0});
    std::string told;
    for (const auto& warning : log.warnings()) {
      if (warning.starts_with(finite ? "the loss grows without end: " : "loss is ")) told = warning;
    }
    const auto rate = std::string(", at a learning rate of ") + (finite ? "0.55" : "50") + ", with gradients up to ";
    EXPECT_NE(told.find(rate), std::string::npos) << told;
    if (finite) continue;
    // Each batch is an update of its own, and those that were given out are counted.
    constexpr int kSteps = 300;
    int step = 0, epoch = 0, update = 0;
    const auto at = told.find(" at step ");
    ASSERT_NE(at, std::string::npos);
    ASSERT_EQ(std::sscanf(told.c_str() + at, " at step %d of epoch %d (update %d)", &step, &epoch, &update), 3) << told;
    EXPECT_EQ(update, (epoch - 1) * kSteps + step) << told;
  }
}

// Throws once.
struct Fault {
  std::atomic<int64_t> calls_until{-1};
  Tensor pass(const Tensor& x) {
    if (calls_until >= 0 && calls_until-- == 0) throw DataError("row 3 is bad");
    return x * 1;
  }
};

TEST(ParameterServer, AStepThatFailsSaysWhyAndTrainingCanGoOn) {
  for (const std::string mode : {"sync", "async", "stale", "sync with a backup worker"}) {
    SCOPED_TRACE(mode);
    auto options = served(3, 2, mode.substr(0, mode.find(' ')));
    options.backup_workers = mode.ends_with("worker") ? 1 : 0;
    Fault fault;
    Model model = Sequential({Input({6}), Lambda([&](const Tensor& x) { return fault.pass(x); }, {.output_shape = {6}}),
                              Dense(3, {.activation = "softmax"})});
    model.compile({.optimizer = "sgd", .loss = "categorical_crossentropy", .strategy = ParameterServer(options)});
    const Tensor x = normal({48, 6}, 1), y = one_hot(48, 3, 2);
    const FitOptions fit{.batch_size = 6, .epochs = 1, .verbose = 0};
    model.fit(x, y, fit);
    fault.calls_until = 7;
    EXPECT_EQ(message_of<DataError>([&] { model.fit(x, y, fit); }), "row 3 is bad");
    fault.calls_until = -1;
    const auto history = model.fit(x, y, fit);
    EXPECT_TRUE(std::isfinite(history["loss"][0]));
    const auto rows = history.rows_per_device();
    EXPECT_EQ(std::accumulate(rows.begin(), rows.end(), int64_t{0}), 48);
  }
}

struct AtMostOne : Constraint {
  Tensor operator()(const Tensor& weight) const override { return weight.clamp_max(1); }
  std::string class_name() const override { return "AtMostOne"; }
};

TEST(ParameterServer, RefusesWhatDoesNotFit) {
  const auto why = [](ParameterServerOptions options) { return message_of([&] { ParameterServer{options}; }); };
  EXPECT_EQ(why({.servers = 0}), "ParameterServer: servers must be at least 1, got 0");
  EXPECT_EQ(why({.mode = "stale"}), "ParameterServer: staleness must be at least 0 in mode stale, got none");
  EXPECT_EQ(why({.mode = "stale", .staleness = -5}),
            "ParameterServer: staleness must be at least 0 in mode stale, got -5");
  EXPECT_EQ(why({.addresses = {"127.0.0.1:1", "127.0.0.1:1"}}),
            "ParameterServer: addresses: every server must have an address of its own, got 127.0.0.1:1 twice");
  EXPECT_EQ(why({.servers = 2, .addresses = {"127.0.0.1:1"}}),
            "ParameterServer: servers counts those of this process, and must not be given where there are addresses of "
            "others, got 2 and 1 address");
  EXPECT_EQ(why({.key_file = "job.key"}),
            "ParameterServer: key_file must be given with addresses of servers, got 'job.key' and none");
  EXPECT_EQ(why({.workers = {"cpu:0"}, .servers = 100000}),
            "ParameterServer: servers must be so few that all workers and servers of this process need 900 sockets at "
            "most, got 100000 with 1 worker");
  EXPECT_EQ(message_of([] { distribute::make_strategy("parameter-server", {.all_reduce = "ring"}); }),
            "strategy parameter-server: all_reduce and average_every must not be set, got ring and 0");
  EXPECT_EQ(why({.staleness = 2}), "ParameterServer: staleness must be given in mode stale alone, got 2 in mode sync");
  EXPECT_EQ(
      why({.mode = "async", .fixed_order = 2}),
      "ParameterServer: shares and fixed_order must not be set in mode async, where batches go whole to whoever is "
      "free");
  EXPECT_NE(why({.mode = "asinc"}).find("async"), std::string::npos);
  const auto workers = Devices::parse("cpu*3");
  EXPECT_EQ(why({.workers = workers, .backup_workers = 3}),
            "ParameterServer: backup_workers must be fewer than the 3 workers, got 3");
  EXPECT_EQ(why({.workers = workers, .backup_workers = -1}),
            "ParameterServer: backup_workers must be at least 0, got -1");
  EXPECT_EQ(why({.workers = workers, .mode = "async", .backup_workers = 1}),
            "ParameterServer: backup_workers must be set in mode sync alone, got mode async");
  EXPECT_EQ(why({.workers = workers, .backup_workers = 1, .fixed_order = 3}),
            "ParameterServer: shares and fixed_order must not be set with backup_workers, where who makes what is not "
            "fixed");
  const auto refused = [](Model model, const Handle<Optimizer>& optimizer, FitOptions fit, int64_t backups = 0) {
    fit.verbose = 0;
    auto options = served(2, 2, backups > 0 ? "sync" : "async");
    options.backup_workers = backups;
    return message_of([&] {
      model.compile({.optimizer = optimizer, .loss = "mse", .strategy = ParameterServer(options)});
      model.fit(normal({8, 6}, 1), normal({8, 3}, 2), fit);
    });
  };
  EXPECT_NE(refused(small_network(), optimizers::SGD({.global_clipnorm = 1.0}), {}).find("global_clipnorm"),
            std::string::npos);
  EXPECT_EQ(refused(small_network(), optimizers::SGD(), {.batch_size = 4, .accumulate = 2}),
            "fit: accumulate must be 1 where batches go to whoever is free, each making an update");
  EXPECT_EQ(refused(small_network(), optimizers::SGD(), {.batch_size = 4, .accumulate = 2}, 1),
            "fit: accumulate must be 1 where batches go to whoever is free, each making an update");
  Model model = small_network();
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = ParameterServer(served(2, 1, "async"))});
  const data::TensorDataset half(normal({8, 6}, 1), normal({8, 3}, 2));
  EXPECT_EQ(message_of([&] {
              model.fit(PerDevice{half, half}, {.batch_size = 4, .verbose = 0});
            }),
            "fit: data by device must not be given where batches go to whoever is free");
  const Handle<Constraint> own(std::make_shared<AtMostOne>());
  EXPECT_NE(refused(Sequential({Input({6}), Dense(3, {.kernel_constraint = own})}), optimizers::SGD(), {})
                .find("must have one of Keras's constraints, which servers know, got AtMostOne"),
            std::string::npos);
}

TEST(ParameterServer, AJobThatIsStoppedDoesNotWaitForServersThatAreNotThere) {
  const auto address = [] { return servers::Server().address(); }();
  auto model = small_network();
  model.compile({.loss = "mse", .strategy = ParameterServer({.workers = {"cpu:0"}, .addresses = {address}})});
  TrainingJob job(model, normal({8, 6}, 1), normal({8, 3}, 2), {.verbose = 0});
  job.start();
  job.stop();
  const auto history = job.wait();  // else PeerError, after 120 s
  EXPECT_TRUE(history.interrupted());
  EXPECT_TRUE(history.epoch().empty());
}

}  // namespace
}  // namespace tandem
