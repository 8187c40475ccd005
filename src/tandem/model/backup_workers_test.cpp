// Training with backup workers: in one process, and in several that each take parts of batches from one pile.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <numeric>
#include <stdexcept>

#include "tandem/core/error.h"
#include "tandem/data/batch_generator.h"
#include "tandem/distribution/parameter_server.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lambda.h"
#include "tandem/layers/regularizers.h"
#include "tandem/model/processes_case_test.h"
#include "tandem/optimizers/exponential_decay.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/servers/server.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using distribute::ParameterServer;
using distribute::ParameterServerOptions;
using parity::normal;

ParameterServerOptions with_backups(int64_t workers, int64_t backups, int64_t servers) {
  return {.workers = Devices::parse("cpu*" + std::to_string(workers)),
          .servers = servers,
          .threads_per_device = 1,
          .backup_workers = backups,
          .bucket_bytes = 64};  // several blocks a weight
}

// Rows whose first value is their number, and a network of which whoever is given row 0 waits until the others have
// begun `others` parts. As long as it is closed.
class SlowPart {
 public:
  explicit SlowPart(int64_t others) : others_(others) {}

  Model build() {
    const auto pass = [this](const Tensor& x) {
      if (closed) stop(x[0][0].item<float>() == 0);
      return x.slice(1, 1);
    };
    return Sequential({layers::Input({5}), layers::Lambda(pass, {.output_shape = {4}}),
                       layers::Dense(6, {.activation = "tanh", .kernel_regularizer = regularizers::L2(0.1)}),
                       layers::Dense(2)});
  }
  static Tensor rows(int64_t count) {
    return at::cat({at::arange(count, at::kFloat).view({count, 1}), normal({count, 4}, 1)}, 1);
  }
  std::atomic<bool> closed{false};

 private:
  void stop(bool slow) {
    std::unique_lock lock(mutex_);
    begun_ += slow ? 0 : 1;
    changed_.notify_all();
    const auto enough = [&] { return begun_ >= others_; };
    if (slow && !changed_.wait_for(lock, std::chrono::minutes(2), enough))
      throw std::runtime_error("the others wait for the slow one");
  }

  const int64_t others_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t begun_ = 0;
};

CompileOptions compiled(const distribute::Strategy& strategy) {
  return {.optimizer = optimizers::SGD({.learning_rate = schedules::ExponentialDecay(0.05, 2, 0.9)}),
          .loss = "mse",
          .strategy = strategy};
}

// 10 parts of 3 and 2 rows go to 3 workers. One has the first part until all others have begun, so that each update is
// the mean over the 5 rows of the next two, and the last one of what is left: what one device makes of batches of 5
// without these 3 rows.
TEST(BackupWorkers, AnUpdateIsTheMeanOfTheFirstGradientsAndASlowWorkerHoldsNobodyBack) {
  const Tensor x = SlowPart::rows(25), y = normal({25, 2}, 2);
  const FitOptions fit{.batch_size = 5, .epochs = 1, .verbose = 0, .shuffle = false};
  for (const int64_t servers : {1, 2}) {
    SlowPart slow(9);
    set_random_seed(3);
    Model one = slow.build();
    one.compile(compiled(distribute::SingleDevice("cpu:0")));
    one.fit(x.slice(0, 3), y.slice(0, 3), fit);
    set_random_seed(3);
    Model model = slow.build();
    model.compile(compiled(ParameterServer(with_backups(3, 1, servers))));
    model.predict(x);  // which binds it, by rows made up
    slow.closed = true;
    const auto history = model.fit(x, y, fit);
    slow.closed = false;
    const auto want = one.get_weights(), got = model.get_weights();
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(testing::difference(got[i], want[i], 1e-5), "") << i;
    EXPECT_EQ(history.facts().dropped_rows, std::vector<int64_t>(static_cast<std::size_t>(servers), 3));
    EXPECT_EQ(history.dropped_rows(), 3);
    EXPECT_EQ(history.facts().staleness, std::vector<int64_t>{servers * 9});
    const auto rows = history.rows_per_device();
    EXPECT_EQ(std::accumulate(rows.begin(), rows.end(), int64_t{0}), 25);
    // And goes on, now with what all workers make of it.
    EXPECT_TRUE(std::isfinite(model.fit(x, y, fit)["loss"][0]));
    model.train_on_batch(x, y);
  }
}

TEST(BackupWorkers, EachGradientIsInAnUpdateOrIsCountedAsDropped) {
  const testing::CapturedLog log;
  Model model = Sequential({layers::Input({4}), layers::Dropout(0.2), layers::Dense(3)});
  model.compile(compiled(ParameterServer(with_backups(4, 2, 1))));
  const auto history = model.fit(normal({96, 4}, 1), normal({96, 3}, 2), {.batch_size = 8, .epochs = 3, .verbose = 1});
  const int64_t applied = history.facts().staleness[0];
  EXPECT_EQ(4 * applied + history.dropped_rows(), 3 * 96);  // parts of 4 rows
  EXPECT_EQ(history.max_staleness(), 0);
  EXPECT_LT(history["loss"].back(), history["loss"].front());
  const auto said = "; " + std::to_string(history.dropped_rows()) + " rows came too late and were dropped";
  bool found = false, first = false;
  for (const auto& line : log.infos()) {
    found = found || line.ends_with(said);
    first = first || line.find("batches of 8, in 2 parts, go to whoever is free") != std::string::npos;
  }
  EXPECT_TRUE(found) << said;
  EXPECT_TRUE(first);
}

TEST(BackupWorkers, MetricsAndLossesAreThoseOfAllRows) {  // with a rate of 0 whoever makes the steps
  parity::Task task{[] {
                      return Sequential({layers::Input({6}), layers::Dense(3, {.activation = "softmax"})});
                    },
                    {.optimizer = optimizers::SGD({.learning_rate = 0.0}),
                     .loss = "categorical_crossentropy",
                     .metrics = {"accuracy"}},
                    normal({25, 6}, 1),
                    parity::one_hot(25, 3, 2),
                    {.batch_size = 7, .epochs = 2}};
  parity::expect_same(parity::train(task, ParameterServer(with_backups(3, 1, 2))), parity::train(task, 1));
}

class BackupProcesses : public ::testing::Test {
 protected:
  // By two servers of their own.
  parity::MakeStrategy strategy() {
    for (int s = 0; s < 2; ++s) servers_.push_back(std::make_unique<servers::Server>());
    return [this](const distribute::ProcessGroup& group, const Devices& own) {
      auto options = with_backups(own.size(), 1, 1);
      options.group = group;
      options.workers = own;
      for (const auto& server : servers_) options.addresses.push_back(server->address());
      return ParameterServer(options);
    };
  }

  std::vector<std::unique_ptr<servers::Server>> servers_;
};

// 12 parts of 3 rows. The slow process may have taken another part beside the one that it computes.
TEST_F(BackupProcesses, ASlowOneHoldsNobodyBack) {
  const Tensor x = SlowPart::rows(36), y = normal({36, 2}, 2);
  SlowPart slow(10);
  std::latch bound(3);
  std::vector<History> histories(3);
  std::vector<std::vector<Tensor>> weights(3);
  parity::on_grid_with(
      {3, 1}, [&] { return slow.build(); }, compiled({}), strategy(),
      [&](Model& model, int64_t process) {
        model.predict(x);
        bound.arrive_and_wait();
        slow.closed = true;
        const auto p = static_cast<std::size_t>(process);
        histories[p] = model.fit(x, y, {.batch_size = 6, .epochs = 1, .verbose = 0, .shuffle = false});
        weights[p] = model.get_weights();
      });
  int64_t rows = 0;
  for (std::size_t p = 0; p < 3; ++p) {
    rows += histories[p].rows_per_device()[0];
    EXPECT_GE(histories[p].dropped_rows(), 3);
    EXPECT_LE(histories[p].dropped_rows(), 6);
    EXPECT_EQ(histories[p]["loss"], histories[0]["loss"]);
    for (std::size_t i = 0; i < weights[0].size(); ++i) EXPECT_TRUE(at::equal(weights[p][i], weights[0][i])) << i;
  }
  EXPECT_EQ(rows, 36);
}

TEST_F(BackupProcesses, StepsAndGeneratorsMayBeGiven) {
  const auto build = [] { return Sequential({layers::Input({6}), layers::Dense(3)}); };
  std::vector<int64_t> rows(3);
  parity::on_grid_with({3, 1}, build, compiled({}), strategy(), [&](Model& model, int64_t process) {
    const Tensor x = normal({40, 6}, 1), y = normal({40, 3}, 2);
    int64_t all =
        model.fit(x, y, {.batch_size = 4, .epochs = 2, .verbose = 0, .steps_per_epoch = 5}).rows_per_device()[0];
    data::BatchGenerator endless([&] { return data::Batch{.x = normal({4, 6}, 3), .y = normal({4, 3}, 4)}; });
    all += model.fit(endless, {.epochs = 2, .verbose = 0, .steps_per_epoch = 5}).rows_per_device()[0];
    data::BatchGenerator passes([](int64_t) -> data::NextBatch {
      return [left = 2]() mutable -> std::optional<data::Batch> {
        if (left-- == 0) return {};
        return data::Batch{.x = normal({4, 6}, 3), .y = normal({4, 3}, 4)};
      };
    });
    all += model.fit(passes, {.epochs = 2, .verbose = 0}).rows_per_device()[0];
    rows[static_cast<std::size_t>(process)] = all;
  });
  EXPECT_EQ(rows[0] + rows[1] + rows[2], 2 * 5 * 4 + 2 * 5 * 4 + 3 * 2 * 2 * 4);
}

struct FailsInBatch : Callback {
  void on_train_batch_end(int64_t batch, Logs&) override {
    if (batch == 1) throw DataError("the disk is full");
  }
};

TEST_F(BackupProcesses, OneThatFailsLeavesItsPartsToTheOthers) {
  const Tensor x = normal({60, 6}, 1), y = normal({60, 3}, 2);
  const auto build = [] { return Sequential({layers::Input({6}), layers::Dense(3)}); };
  std::vector<int64_t> rows(3);
  parity::on_grid_with({3, 1}, build, compiled({}), strategy(), [&](Model& model, int64_t process) {
    FitOptions fit{.batch_size = 6, .epochs = 3, .verbose = 0};
    if (process == 2) {
      fit.callbacks.push_back(std::make_shared<FailsInBatch>());
      EXPECT_EQ(testing::message_of<DataError>([&] { model.fit(x, y, fit); }), "the disk is full");
      model = Model();  // it leaves
      return;
    }
    const auto history = model.fit(x, y, fit);
    rows[static_cast<std::size_t>(process)] = history.rows_per_device()[0];
    EXPECT_LT(history["loss"].back(), history["loss"].front());
  });
  EXPECT_GE(rows[0] + rows[1], 3 * 60 - 4 * 3);  // all but what it had made before
}

}  // namespace
}  // namespace tandem
