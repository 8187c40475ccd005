// Workers in several processes that train each at its own pace: what they make together, and what happens when one is
// late or fails.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <latch>
#include <numeric>
#include <thread>

#include "tandem/core/error.h"
#include "tandem/data/batch_generator.h"
#include "tandem/distribution/parameter_server.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/processes_case_test.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/servers/server.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using parity::Grid;
using testing::message_of;

class ServedCrowd : public ::testing::TestWithParam<Grid> {
 protected:
  // By two servers of their own.
  parity::MakeStrategy served(const std::string& mode) {
    servers_.clear();
    for (int s = 0; s < 2; ++s) servers_.push_back(std::make_unique<servers::Server>());
    std::vector<std::string> addresses;
    for (const auto& server : servers_) addresses.push_back(server->address());
    return [addresses, mode](const distribute::ProcessGroup& group, const Devices& own) {
      return distribute::ParameterServer({.group = group,
                                          .workers = own,
                                          .addresses = addresses,
                                          .threads_per_device = 1,
                                          .mode = mode,
                                          .staleness = mode == "stale" ? 2 : -1,
                                          .bucket_bytes = 256});
    };
  }
  static Model normalised() {
    return Sequential({layers::Input({6}), layers::Dense(8), layers::BatchNormalization(),
                       layers::Dense(3, {.activation = "softmax"})});
  }
  parity::Task task(double rate) const {
    return {normalised,
            {.optimizer = optimizers::SGD({.learning_rate = rate}),
             .loss = "categorical_crossentropy",
             .metrics = {"accuracy"}},
            parity::normal({90, 6}, 1),
            parity::one_hot(90, 3, 2),
            {.batch_size = 7, .epochs = 3}};
  }
  static int64_t rows_of(const std::vector<parity::Result>& results) {
    int64_t rows = 0;
    for (const auto& result : results) {
      const auto own = result.history.rows_per_device();
      rows = std::accumulate(own.begin(), own.end(), rows);
    }
    return rows;
  }

  std::vector<std::unique_ptr<servers::Server>> servers_;
};

TEST_P(ServedCrowd, FiguresAreThoseOfAllRows) {  // at a rate of 0 whoever has them
  auto plain = task(0);
  plain.build = [] { return Sequential({layers::Input({6}), layers::Dense(3, {.activation = "softmax"})}); };
  const auto one = parity::train(plain, 1);
  const auto all = parity::train_with(plain, GetParam(), served("async"));
  for (const auto& got : all) parity::expect_same(got, one);
  EXPECT_EQ(rows_of(all), 3 * 90);
}

TEST_P(ServedCrowd, AllEndWithTheSameWeightsStatisticsAndHistory) {
  for (const std::string mode : {"async", "stale"}) {
    SCOPED_TRACE(mode);
    const auto all = parity::train_with(task(0.1), GetParam(), served(mode));
    EXPECT_EQ(rows_of(all), 3 * 90);
    const auto& losses = all[0].history["loss"];
    EXPECT_LT(losses.back(), losses.front());
    for (const auto& got : all) {
      for (std::size_t i = 0; i < all[0].weights.size(); ++i)
        EXPECT_TRUE(at::equal(got.weights[i], all[0].weights[i])) << i;
      for (const auto& [name, values] : all[0].history.series()) EXPECT_EQ(got.history[name], values) << name;
      EXPECT_TRUE(at::equal(got.predictions[0], all[0].predictions[0]));
      if (mode == "stale") {
        EXPECT_LE(got.history.max_staleness(), 2);
      }
    }
  }
}

// Fails in its second batch, where it is told to.
struct FailingCallback : Callback {
  explicit FailingCallback(bool fails) : fails(fails) {}
  void on_train_batch_end(int64_t batch, Logs&) override {
    if (fails && batch == 1) throw DataError("the disk is full");
  }
  bool fails;
};

TEST_F(ServedCrowd, OneThatFailsLeavesItsRowsToTheOthers) {
  const auto what = task(0.1);
  std::vector<int64_t> rows(3);
  std::string said;
  parity::on_grid_with({3, 1}, what.build, what.compile, served("async"), [&](Model& model, int64_t process) {
    const auto fit = [&] {
      return model.fit(
          what.x, what.y,
          {.batch_size = 7, .epochs = 3, .verbose = 0, .callbacks = {std::make_shared<FailingCallback>(process == 1)}});
    };
    if (process == 1) {
      said = message_of<DataError>([&] { fit(); });
      model = Model();  // it leaves
      return;
    }
    const auto history = fit();
    rows[static_cast<std::size_t>(process)] = history.rows_per_device()[0];
    EXPECT_EQ(history["loss"].size(), 3U);
  });
  EXPECT_EQ(said, "the disk is full");
  EXPECT_GE(rows[0] + rows[2], 3 * 90 - 4 * 7);  // all but what it had made before
}

// Orders a server to end behind the first epoch, which both have validated, and lets the workers hear of it.
struct StopsServer : Callback {
  StopsServer(servers::Server& server, std::barrier<>& both) : server(server), both(both) {}
  void on_epoch_end(int64_t, Logs&) override {
    both.arrive_and_wait();
    server.stop_after(60);
    std::this_thread::sleep_for(std::chrono::seconds(3));
  }
  servers::Server& server;
  std::barrier<>& both;
};

TEST_F(ServedCrowd, AStoppedServerEndsTheTrainingAndLeavesNoEpochWithoutSteps) {
  const auto what = task(0.1);
  std::vector<History> histories(2);
  std::barrier<> both(2);
  parity::on_grid_with({2, 1}, what.build, what.compile, served("async"), [&](Model& model, int64_t process) {
    histories[static_cast<std::size_t>(process)] =
        model.fit(what.x, what.y,
                  {.batch_size = 7,
                   .epochs = 50,
                   .verbose = 0,
                   .callbacks = {std::make_shared<StopsServer>(*servers_[1], both)},
                   .validation_data = ValidationData(what.x, what.y)});
  });
  for (const auto& history : histories) {
    EXPECT_TRUE(history.interrupted());
    for (const char* name : {"loss", "val_loss"}) EXPECT_EQ(history[name].size(), 1U) << name;
  }
}

TEST_F(ServedCrowd, OneThatComesLateHasNothingLeftToDoButKnowsAll) {
  const auto what = task(0.1);
  std::latch trained(1);
  std::vector<History> histories(2);
  std::vector<std::vector<Tensor>> weights(2);
  parity::on_grid_with({2, 1}, what.build, what.compile, served("async"), [&](Model& model, int64_t process) {
    if (process == 1) trained.wait();
    const auto p = static_cast<std::size_t>(process);
    histories[p] = model.fit(what.x, what.y, {.batch_size = 7, .epochs = 3, .verbose = 0});
    weights[p] = model.get_weights();
    if (process == 0) trained.count_down();
  });
  EXPECT_EQ(histories[0].rows_per_device(), std::vector<int64_t>{3 * 90});
  EXPECT_EQ(histories[1].rows_per_device(), std::vector<int64_t>{0});
  EXPECT_EQ(histories[1]["loss"], histories[0]["loss"]);
  for (std::size_t i = 0; i < weights[0].size(); ++i) EXPECT_TRUE(at::equal(weights[1][i], weights[0][i])) << i;
}

// 13 batches a pass: epochs of 5, 5 and 3, and again.
TEST_P(ServedCrowd, StepsPerEpochAreThoseOfAllTogether) {
  auto plain = task(0);
  plain.build = [] { return Sequential({layers::Input({6}), layers::Dense(3, {.activation = "softmax"})}); };
  plain.fit.steps_per_epoch = 5;
  plain.fit.epochs = 5;
  const auto one = parity::train(plain, 1);
  const auto all = parity::train_with(plain, GetParam(), served("async"));
  for (const auto& got : all) parity::expect_same(got, one);
  EXPECT_EQ(rows_of(all), 90 + 2 * 35);
}

// Each process's own, of batches of 4 rows.
class OwnBatches {
 public:
  data::Batch next() {
    ++given;
    return {.x = parity::normal({4, 6}, 1), .y = parity::one_hot(4, 3, 2)};
  }
  int64_t given = 0;
};

TEST_F(ServedCrowd, GeneratorsOfTheirOwnMakeTheEpochsOfAllTogether) {
  const auto what = task(0.1);
  std::vector<OwnBatches> own(3);
  std::vector<History> histories(3);
  parity::on_grid_with({3, 1}, what.build, what.compile, served("async"), [&](Model& model, int64_t process) {
    auto& mine = own[static_cast<std::size_t>(process)];
    // The last one's stream ends within the first epoch.
    const data::NextBatch next = [&, process]() -> std::optional<data::Batch> {
      if (process == 2 && mine.given == 3) return {};
      return mine.next();
    };
    const data::BatchGenerator batches(next);
    histories[static_cast<std::size_t>(process)] =
        model.fit(batches, {.epochs = 3, .verbose = 0, .steps_per_epoch = 11});
  });
  int64_t rows = 0;
  for (const auto& history : histories) {
    EXPECT_EQ(history["loss"].size(), 3U);
    EXPECT_EQ(history["loss"], histories[0]["loss"]);
    rows += history.rows_per_device()[0];
  }
  EXPECT_EQ(rows, 3 * 11 * 4);
  EXPECT_LE(histories[2].rows_per_device()[0], 3 * 4);
}

TEST_F(ServedCrowd, GeneratorsOfUnknownLengthEndAnEpochWhenAllHaveEnded) {
  const auto what = task(0.1);
  std::vector<History> histories(2);
  std::vector<std::string> warnings;
  parity::on_grid_with({2, 1}, what.build, what.compile, served("async"), [&](Model& model, int64_t process) {
    const auto p = static_cast<std::size_t>(process);
    data::BatchGenerator passes([&](int64_t) -> data::NextBatch {
      return [process, mine = OwnBatches()]() mutable -> std::optional<data::Batch> {
        if (mine.given == 2 + 3 * process) return {};
        return mine.next();
      };
    });
    histories[p] = model.fit(passes, {.epochs = 2, .verbose = 0});
    EXPECT_EQ(histories[p].rows_per_device()[0], 2 * (2 + 3 * process) * 4);
    // Streams that have ended in all processes end the training.
    const data::NextBatch three = [mine = OwnBatches()]() mutable -> std::optional<data::Batch> {
      if (mine.given == 3) return {};
      return mine.next();
    };
    const data::BatchGenerator stream(three);
    const auto told = process == 0 ? std::make_unique<testing::CapturedLog>() : nullptr;
    EXPECT_EQ(model.fit(stream, {.epochs = 4, .verbose = 0})["loss"].size(), 1U);
    if (told) warnings = told->warnings();
  });
  EXPECT_EQ(histories[0]["loss"].size(), 2U);
  EXPECT_EQ(histories[0]["loss"], histories[1]["loss"]);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].find("fit: the data ended for good after 0 steps of epoch 2 of 4"), 0U) << warnings[0];
}

INSTANTIATE_TEST_SUITE_P(Grids, ServedCrowd, ::testing::Values(Grid{2, 1}, Grid{2, 2}, Grid{3, 1}),
                         [](const auto& info) {
                           return std::to_string(info.param.processes) + "x" + std::to_string(info.param.devices);
                         });

}  // namespace
}  // namespace tandem
