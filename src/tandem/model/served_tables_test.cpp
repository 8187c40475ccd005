// Embeddings with parameter servers: their rows move alone, and the numbers are those of one device.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/distribution/parameter_server.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/add.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/embedding.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/global_average_pooling1d.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lambda.h"
#include "tandem/model/processes_case_test.h"
#include "tandem/optimizers/adagrad.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/exponential_decay.h"
#include "tandem/optimizers/lamb.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/servers/server.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

using namespace layers;
using distribute::ParameterServer;
using distribute::ParameterServerOptions;
using testing::message_of;

// 5 ids a row, of which some come twice and some never.
Tensor some_ids(int64_t rows = 22) { return (RandomStream(5).uniform({rows, 5}) * 30).floor(); }

Model words() {
  return Sequential({Input({5}), Embedding(40, 6), GlobalAveragePooling1D(), Dense(3, {.activation = "softmax"})});
}

// A masked table, one that is called twice, on its own ids and on ids by whole numbers, and one with a penalty.
Model several_tables() {
  const auto ids = Input({5});
  const auto twice = Embedding(40, 6);
  const auto masked = GlobalAveragePooling1D()(Embedding(40, 6, {.mask_zero = true})(ids));
  const auto penalised = GlobalAveragePooling1D()(Embedding(40, 6, {.embeddings_regularizer = "l2"})(ids));
  const auto both = Add()({twice(ids), twice(ids)});
  const auto sum = Add()({masked, penalised, GlobalAveragePooling1D()(both)});
  return Model(ids, Dense(3, {.activation = "softmax"})(sum));
}

// A layer that reads the table in another way than by rows: scores of all words.
struct TiedModel : SubclassedModel {
  Embedding table = track("table", Embedding(40, 6));
  Dense middle = track("middle", Dense(6, {.activation = "tanh"}));
  Tensor call(const Tensor& x, const CallContext& context) override {
    const Tensor mean = middle(table(x, context).mean(1), context);
    return at::matmul(mean, table.weights()[0].value().t());
  }
};

// Nothing but a table.
Model bare_table() { return Sequential({Input({5}), Embedding(40, 3), Flatten()}); }

parity::Task task_with(const Handle<Optimizer>& optimizer, std::function<Model()> build = words) {
  return {std::move(build),
          {.optimizer = optimizer, .loss = "categorical_crossentropy", .metrics = {"accuracy"}},
          some_ids(),
          parity::one_hot(22, 3, 2),
          {.batch_size = 7, .epochs = 2}};  // the last batch has one row: workers without rows
}

ParameterServerOptions served(int64_t workers, int64_t servers, const std::string& mode = "sync") {
  return {.workers = Devices::parse("cpu*" + std::to_string(workers)),
          .servers = servers,
          .threads_per_device = 1,
          .mode = mode,
          .staleness = mode == "stale" ? 2 : -1,
          .bucket_bytes = 256};
}

std::vector<Handle<Optimizer>> optimizers_of_all_kinds() {
  return {optimizers::SGD({.learning_rate = 0.5}),
          optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}),
          optimizers::SGD({.learning_rate = 0.5, .clipvalue = 0.01}),
          optimizers::SGD({.learning_rate = 0.5, .clipnorm = 0.05}),
          optimizers::SGD({.learning_rate = schedules::ExponentialDecay(0.5, 2, 0.5)}),
          optimizers::Adagrad({.learning_rate = 0.1}),
          optimizers::Adam({.learning_rate = 0.02}),
          optimizers::Adam({.learning_rate = 0.02, .clipnorm = 0.1}),
          optimizers::Lamb({.learning_rate = 0.02})};
}

TEST(ServedTables, SyncGivesWhatOneDeviceGives) {
  for (const auto& optimizer : optimizers_of_all_kinds()) {
    const auto task = task_with(optimizer);
    const auto one = parity::train(task, 1);
    for (const int64_t workers : {1, 2, 3}) {
      for (const int64_t servers : {1, 2, 3}) {
        SCOPED_TRACE(optimizer.get()->class_name() + ", " + std::to_string(workers) + " workers, " +
                     std::to_string(servers));
        parity::expect_same(parity::train(task, ParameterServer(served(workers, servers))), one);
      }
    }
  }
}

TEST(ServedTables, SeveralTablesMasksPenaltiesAndCallsOfOneTable) {
  for (const Handle<Optimizer>& optimizer : std::vector<Handle<Optimizer>>{optimizers::SGD({.learning_rate = 0.5}),
                                                                           optimizers::Adam({.learning_rate = 0.02})}) {
    const auto task = task_with(optimizer, several_tables);
    const auto one = parity::train(task, 1);
    for (const int64_t workers : {1, 3})
      parity::expect_same(parity::train(task, ParameterServer(served(workers, 2))), one);
  }
}

TEST(ServedTables, GlobalNormAccumulationAndAModelThatIsATable) {
  const auto clipped = task_with(optimizers::SGD({.learning_rate = 0.5, .global_clipnorm = 0.05}));
  parity::expect_same(parity::train(clipped, ParameterServer(served(3, 1))), parity::train(clipped, 1));
  auto grouped = task_with(optimizers::Adagrad({.learning_rate = 0.1}), several_tables);
  grouped.fit.accumulate = 2;
  parity::expect_same(parity::train(grouped, ParameterServer(served(2, 2))), parity::train(grouped, 1));
  auto bare = task_with(optimizers::SGD({.learning_rate = 0.5}), bare_table);
  bare.compile.loss = "mse";
  bare.compile.metrics = {};
  bare.y = {parity::normal({22, 15}, 3)};
  for (const std::string mode : {"sync", "async"})
    parity::expect_same(parity::train(bare, ParameterServer(served(1, 2, mode))), parity::train(bare, 1));
  parity::expect_same(parity::train(bare, ParameterServer(served(3, 2))), parity::train(bare, 1));
}

TEST(ServedTables, ATableThatIsReadWholeMovesWholeAndThatIsTold) {
  auto task = task_with(optimizers::SGD({.learning_rate = 0.5}), [] { return make_model<TiedModel>(); });
  task.compile.loss = "mse";
  task.compile.metrics = {};
  task.y = {parity::normal({22, 40}, 3)};
  const auto one = parity::train(task, 1);
  for (const std::string mode : {"sync", "async"}) {
    const testing::CapturedLog log;
    set_random_seed(11);
    Model model = make_model<TiedModel>();
    auto compile = task.compile;
    compile.strategy = ParameterServer(served(1, 2, mode));
    model.compile(compile);
    auto fit = task.fit;
    fit.verbose = 0;
    model.fit(task.x, task.y, fit);
    const auto got = model.get_weights();
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(testing::difference(got[i], one.weights[i], 1e-5), "") << i;
    ASSERT_EQ(log.infos().size(), 1U);
    EXPECT_EQ(log.infos()[0],
              "weight 'embeddings' ((40, 6)) is read whole in training: parameter servers move all of its rows in each "
              "step");
  }
  parity::expect_same(parity::train(task, ParameterServer(served(3, 2))), one);
}

TEST(ServedTables, FixedOrderGivesTheBitsOfMirrored) {
  for (const auto& build : {words, several_tables}) {
    for (const Handle<Optimizer>& optimizer : std::vector<Handle<Optimizer>>{
             optimizers::SGD({.learning_rate = 0.5}), optimizers::Adagrad({.learning_rate = 0.1}),
             optimizers::Adam({.learning_rate = 0.02})}) {
      const auto task = task_with(optimizer, build);
      const auto want =
          parity::train(task, distribute::Mirrored({.devices = {"cpu:0"}, .threads_per_device = 1, .fixed_order = 4}));
      for (const int64_t workers : {1, 2, 4}) {
        for (const int64_t servers : {1, 3}) {
          auto options = served(workers, servers);
          options.fixed_order = 4;
          SCOPED_TRACE(optimizer.get()->class_name() + ", " + std::to_string(workers) + " workers, " +
                       std::to_string(servers));
          parity::expect_same_bits(parity::train(task, ParameterServer(options)), want);
        }
      }
    }
  }
}

TEST(ServedTables, OutOfStepOneWorkerGivesWhatOneDeviceGives) {
  for (const std::string mode : {"async", "stale"}) {
    for (const auto& optimizer : optimizers_of_all_kinds()) {
      SCOPED_TRACE(mode + " " + optimizer.get()->class_name());
      const auto task = task_with(optimizer, several_tables);
      const auto got = parity::train(task, ParameterServer(served(1, 2, mode)));
      parity::expect_same(got, parity::train(task, 1));
      EXPECT_EQ(got.history.facts().staleness, std::vector<int64_t>{2 * 2 * 4});
    }
  }
}

TEST(ServedTables, OutOfStepSeveralWorkersLoseNoGradientAndKeepTheBound) {
  for (const std::string mode : {"async", "stale"}) {
    const auto task = task_with(optimizers::SGD({.learning_rate = 0.1}), several_tables);
    const auto got = parity::train(task, ParameterServer(served(3, 2, mode)));
    const auto& counts = got.history.facts().staleness;
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), int64_t{0}), 2 * 2 * 4);
    EXPECT_LE(got.history.max_staleness(), mode == "stale" ? 2 : INT64_MAX);
    EXPECT_LT(got.history["loss"].back(), got.history["loss"].front());
    auto still = task_with(optimizers::SGD({.learning_rate = 0.0}));
    parity::expect_same(parity::train(still, ParameterServer(served(3, 2, mode))), parity::train(still, 1));
  }
}

TEST(ServedTables, ServersGoOnFromWeightsAndStateThatAreSet) {
  const auto task = task_with(optimizers::Adagrad({.learning_rate = 0.1}), several_tables);
  const auto run = [&](const distribute::Strategy& strategy) {
    set_random_seed(3);
    Model model = task.build();
    auto compile = task.compile;
    compile.strategy = strategy;
    model.compile(compile);
    const FitOptions fit{.batch_size = 8, .epochs = 1, .verbose = 0};
    model.fit(task.x, task.y, fit);
    auto weights = model.get_weights();
    for (auto& w : weights) w = w * 0.5;
    model.set_weights(weights);
    const auto loss = model.evaluate(task.x, task.y, {.verbose = 0}).at("loss");
    model.fit(task.x, task.y, fit);
    model.train_on_batch(task.x[0], task.y[0]);
    weights = model.get_weights();
    weights.push_back(at::tensor(loss));
    weights.push_back(model.predict(task.x[0]));
    return weights;
  };
  const auto want = run(distribute::SingleDevice("cpu:0"));
  for (const std::string mode : {"sync", "async"}) {
    const auto got = run(ParameterServer(served(1, 2, mode)));
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(testing::difference(got[i], want[i], 1e-5), "") << i;
  }
}

TEST(ServedTables, TrainingGoesOnAfterAStepThatFailed) {
  for (const std::string mode : {"sync", "async", "stale"}) {
    SCOPED_TRACE(mode);
    const testing::CapturedLog quiet;
    std::atomic<int> calls_until{-1};
    const auto fault = [&](const Tensor& x) {
      if (calls_until >= 0 && calls_until-- == 0) throw DataError("row 3 is bad");
      return x * 1;
    };
    Model model = Sequential(
        {Input({5}), Embedding(40, 6), Lambda(fault, {.output_shape = {5, 6}}), GlobalAveragePooling1D(), Dense(3)});
    model.compile({.optimizer = "sgd", .loss = "mse", .strategy = ParameterServer(served(3, 2, mode))});
    const Tensor x = some_ids(), y = parity::normal({22, 3}, 2);
    const FitOptions fit{.batch_size = 6, .epochs = 1, .verbose = 0};
    model.fit(x, y, fit);
    calls_until = 2;
    EXPECT_EQ(message_of<DataError>([&] { model.fit(x, y, fit); }), "row 3 is bad");
    calls_until = -1;
    const double before = model.evaluate(x, y, {.verbose = 0}).at("loss");
    for (int i = 0; i < 3; ++i) model.fit(x, y, fit);
    EXPECT_LT(model.evaluate(x, y, {.verbose = 0}).at("loss"), before);
  }
}

TEST(ServedTables, AFrozenOneAndAWrongIdAreAsElsewhere) {
  const auto frozen = [] {
    const auto table = Embedding(40, 6);
    table->set_trainable(false);
    return Sequential({Input({5}), table, GlobalAveragePooling1D(), Dense(3, {.activation = "softmax"})});
  };
  const auto task = task_with(optimizers::SGD({.learning_rate = 0.5}), frozen);
  parity::expect_same(parity::train(task, ParameterServer(served(2, 2))), parity::train(task, 1));
  auto wrong = task_with(optimizers::SGD());
  wrong.x = {wrong.x[0].clone()};
  wrong.x[0][3][1] = 40;
  EXPECT_NE(
      message_of([&] { parity::train(wrong, ParameterServer(served(2, 2))); }).find("ids must be in [0, 40), got 40"),
      std::string::npos);
}

TEST(ServedTables, GoOnFromWhatServersSaved) {
  const auto task = task_with(optimizers::Adagrad({.learning_rate = 0.1}), several_tables);
  const FitOptions fit{.batch_size = 11, .epochs = 2, .verbose = 0, .shuffle = false};
  const auto made = [&](uint64_t seed, const distribute::Strategy& strategy) {
    set_random_seed(seed);
    Model model = task.build();
    auto compile = task.compile;
    compile.strategy = strategy;
    model.compile(compile);
    return model;
  };
  Model unbroken = made(3, distribute::SingleDevice("cpu:0"));
  unbroken.fit(task.x, task.y, fit);
  const Tensor halfway = unbroken.predict(task.x[0]);
  unbroken.fit(task.x, task.y, fit);
  for (const std::string mode : {"sync", "async"}) {
    SCOPED_TRACE(mode);
    const testing::CapturedLog quiet;
    const testing::TemporaryFolder folder;
    const servers::ServerOptions saving{.save = {.folder = folder.path(), .every_updates = 1}};
    auto server = std::make_unique<servers::Server>(saving);
    const auto by = [&] {
      return ParameterServer(
          {.workers = {"cpu:0"}, .addresses = {server->address()}, .threads_per_device = 1, .mode = mode});
    };
    Model model = made(3, by());
    model.fit(task.x, task.y, fit);
    server->stop();
    EXPECT_NE(message_of<PeerError>([&] { model.fit(task.x, task.y, fit); }).find("server 0 of 1 ("),
              std::string::npos);
    model = Model();
    server = std::make_unique<servers::Server>(saving);
    Model again = made(99, by());
    EXPECT_EQ(testing::difference(again.predict(task.x[0]), halfway, 1e-5), "");
    again.fit(task.x, task.y, fit);
    const auto want = unbroken.get_weights(), got = again.get_weights();
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(testing::difference(got[i], want[i], 1e-5), "") << i;
  }
}

// A step that leaves the table out.
struct LeavesOut : TiedModel {
  void train_step(Step& step) override {
    step.minimize(step.compute_loss(call(step.x()[0], step.context())), middle.weights());
  }
};

TEST(ServedTables, AStepThatLeavesThemOutIsRefused) {
  const testing::CapturedLog quiet;
  set_random_seed(11);
  Model model = make_model<LeavesOut>();
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = ParameterServer(served(2, 1))});
  EXPECT_NE(message_of([&] {
              model.fit(some_ids(), parity::normal({22, 40}, 3), {.verbose = 0});
            }).find("must be for all weights"),
            std::string::npos);
}

TEST(ServedTables, AStepSendsItsTouchedRows) {
  constexpr int64_t kRows = 100'000, kRow = 8, kBatch = 12, kSteps = 5;
  for (const std::string mode : {"sync", "async"}) {
    Model model = Sequential({Input({4}), Embedding(kRows, kRow), GlobalAveragePooling1D(), Dense(2)});
    model.compile({.optimizer = "sgd", .loss = "mse", .strategy = ParameterServer(served(2, 2, mode))});
    const Tensor ids = (RandomStream(1).uniform({kBatch * kSteps, 4}) * kRows).floor();
    const auto history =
        model.fit(ids, parity::normal({kBatch * kSteps, 2}, 2), {.batch_size = kBatch, .epochs = 1, .verbose = 0});
    const auto dense = kSteps * (16 + 16) * 4, touched = kBatch * kSteps * 4 * (4 + 4 + kRow * 4);
    const auto sent = history.bytes_sent(0) + history.bytes_sent(1);
    EXPECT_GT(sent, touched * 3 / 4);  // some ids come twice
    EXPECT_LE(sent, touched + 2 * dense + kSteps * 2 * 1000);
    EXPECT_LT(sent, kRows * kRow * 4 / 10);
  }
}

class ServedTablesInProcesses : public ::testing::TestWithParam<parity::Grid> {
 protected:
  parity::MakeStrategy by_servers(const std::string& mode, int64_t fixed_order = 0) {
    servers_.clear();
    std::vector<std::string> addresses;
    for (int s = 0; s < 2; ++s) {
      servers_.push_back(std::make_unique<servers::Server>());
      addresses.push_back(servers_.back()->address());
    }
    return [=](const distribute::ProcessGroup& group, const Devices& own) {
      return ParameterServer({.group = group,
                              .workers = own,
                              .addresses = addresses,
                              .threads_per_device = 1,
                              .mode = mode,
                              .fixed_order = fixed_order,
                              .bucket_bytes = 256});
    };
  }

  std::vector<std::unique_ptr<servers::Server>> servers_;
};

TEST_P(ServedTablesInProcesses, SyncGivesWhatOneDeviceGives) {
  for (const auto& optimizer : std::vector<Handle<Optimizer>>{optimizers::Adagrad({.learning_rate = 0.1}),
                                                              optimizers::Adam({.learning_rate = 0.02})}) {
    const auto task = task_with(optimizer, several_tables);
    const auto one = parity::train(task, 1);
    for (const auto& got : parity::train_with(task, GetParam(), by_servers("sync"))) parity::expect_same(got, one);
    const auto mirrored =
        parity::train(task, distribute::Mirrored({.devices = {"cpu:0"}, .threads_per_device = 1, .fixed_order = 4}));
    for (const auto& got : parity::train_with(task, GetParam(), by_servers("sync", 4)))
      parity::expect_same_bits(got, mirrored);
  }
}

TEST_P(ServedTablesInProcesses, OutOfStepAllEndWithTheSameTables) {
  const auto task = task_with(optimizers::SGD({.learning_rate = 0.1}), several_tables);
  const auto all = parity::train_with(task, GetParam(), by_servers("async"));
  for (const auto& got : all) {
    for (std::size_t i = 0; i < all[0].weights.size(); ++i)
      EXPECT_TRUE(at::equal(got.weights[i], all[0].weights[i])) << i;
    EXPECT_TRUE(at::equal(got.predictions[0], all[0].predictions[0]));
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, ServedTablesInProcesses,
                         ::testing::Values(parity::Grid{1, 1}, parity::Grid{2, 1}, parity::Grid{2, 2}),
                         [](const auto& info) {
                           return std::to_string(info.param.processes) + "x" + std::to_string(info.param.devices);
                         });

}  // namespace
}  // namespace tandem
