// An evaluator beside workers, as threads over real sockets: what it finds is what evaluate finds with these weights.
#include "tandem/model/sidecar_evaluator.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <map>
#include <thread>

#include "tandem/callbacks/lambda_callback.h"
#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/distribution/parameter_server.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/layers/layer_names.h"
#include "tandem/model/processes_case_test.h"
#include "tandem/optimizers/adam.h"
#include "tandem/servers/server.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using parity::Grid;
using testing::message_of;

Model normalised() {
  return Sequential({layers::Input({6}), layers::Dense(8), layers::BatchNormalization(),
                     layers::Dense(3, {.activation = "softmax"})});
}

// Weights of one name and shape.
Model three_layers() {
  return Sequential({layers::Input({6}), layers::Dense(6, {.activation = "tanh"}),
                     layers::Dense(6, {.activation = "tanh"}), layers::Dense(3, {.activation = "softmax"})});
}

class SidecarEvaluatorTest : public ::testing::TestWithParam<const char*> {
 protected:
  void start_servers(int64_t count) {
    for (int64_t s = 0; s < count; ++s) servers_.push_back(std::make_unique<servers::Server>());
    for (const auto& server : servers_) addresses_.push_back(server->address());
  }
  parity::MakeStrategy served(const std::string& mode) const {
    return [this, mode](const distribute::ProcessGroup& group, const Devices& own) {
      return distribute::ParameterServer({.group = group,
                                          .workers = own,
                                          .addresses = addresses_,
                                          .threads_per_device = 1,
                                          .mode = mode,
                                          .staleness = mode == "stale" ? 2 : -1,
                                          .bucket_bytes = 256});
    };
  }
  CompileOptions how() const {
    return {.optimizer = optimizers::Adam({.learning_rate = 0.01}),
            .loss = "categorical_crossentropy",
            .metrics = {"accuracy"}};
  }
  Model compiled() const {
    set_random_seed(77);  // other weights than the workers begin with
    Model model = normalised();
    model.compile(how());
    return model;
  }

  // So that training, which is short, does not end before it comes.
  static void await(const SidecarEvaluator& evaluator) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!evaluator.begun() && std::chrono::steady_clock::now() < limit)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  const Tensor x_ = parity::normal({90, 6}, 1), y_ = parity::one_hot(90, 3, 2);
  std::vector<std::unique_ptr<servers::Server>> servers_;
  std::vector<std::string> addresses_;
};

// At each evaluation the figures of these weights, and in sync those of one device after as many updates.
TEST_P(SidecarEvaluatorTest, FindsWhatEvaluateFindsWithTheseWeights) {
  start_servers(2);
  const std::string mode = GetParam();
  constexpr int64_t kEvery = 5, kUpdates = 3 * 13;
  struct Seen {
    std::vector<Tensor> weights;
    Logs logs;
  };
  std::vector<Seen> seen;
  Model watching = compiled();
  SidecarEvaluator evaluator(
      watching, data::TensorDataset(x_, y_),
      {.callbacks = {callbacks::LambdaCallback({.on_epoch_end =
                                                    [&](int64_t n, const Logs& logs) {
                                                      EXPECT_EQ(n, static_cast<int64_t>(seen.size()));
                                                      seen.push_back({watching.get_weights(), logs});
                                                    }})},
       .evaluate_every = kEvery,
       .verbose = 0,
       .servers = addresses_});
  History history;
  std::thread watcher([&] { history = evaluator.start(); });
  await(evaluator);
  std::vector<Tensor> trained;
  parity::on_grid_with({2, 1}, normalised, how(), served(mode), [&](Model& model, int64_t process) {
    model.fit(x_, y_, {.batch_size = 7, .epochs = 3, .verbose = 0});
    if (process == 0) trained = model.get_weights();
  });
  watcher.join();
  for (auto& server : servers_) server->wait();

  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(history["val_loss"].size(), seen.size());
  EXPECT_FALSE(history.interrupted());
  Model plain = compiled();
  for (const auto& one : seen) {
    plain.set_weights(one.weights);
    const auto want = plain.evaluate(x_, y_, {.verbose = 0});
    EXPECT_DOUBLE_EQ(one.logs["val_loss"], want["loss"]);
    EXPECT_DOUBLE_EQ(one.logs["val_accuracy"], want["accuracy"]);
  }
  // What workers leave behind comes last, moving averages among it.
  ASSERT_EQ(seen.back().weights.size(), trained.size());
  for (std::size_t i = 0; i < trained.size(); ++i) EXPECT_TRUE(at::equal(seen.back().weights[i], trained[i])) << i;
  if (mode == "stale") return;  // gradients share updates
  EXPECT_EQ(seen.back().logs["update"], kUpdates);
  EXPECT_GE(seen.front().logs["update"], kEvery);
}

INSTANTIATE_TEST_SUITE_P(Modes, SidecarEvaluatorTest, ::testing::Values("sync", "async", "stale"),
                         [](const auto& info) { return std::string(info.param); });

using SidecarEvaluatorCases = SidecarEvaluatorTest;

// In sync update n of the job is update n of one device.
TEST_F(SidecarEvaluatorCases, SeesTheUpdatesOfOneDevice) {
  start_servers(2);
  std::map<int64_t, std::vector<Tensor>> seen, plain;
  Model watching = three_layers();
  watching.compile(how());
  SidecarEvaluator evaluator(
      watching, data::TensorDataset(x_, y_),
      {.callbacks = {callbacks::LambdaCallback(
           {.on_epoch_end = [&](int64_t,
                                const Logs& logs) { seen[std::llround(logs["update"])] = watching.get_weights(); }})},
       .verbose = 0,
       .servers = addresses_});
  const FitOptions fit{.batch_size = 30, .epochs = 8, .verbose = 0};
  std::thread watcher([&] { evaluator.start(); });
  await(evaluator);
  parity::on_grid_with({2, 1}, three_layers, how(), served("sync"),
                       [&](Model& model, int64_t) { model.fit(x_, y_, fit); });
  watcher.join();
  clear_session();
  set_random_seed(11);
  Model one = three_layers();
  one.compile(how());
  int64_t update = 0;
  auto with_weights = fit;
  with_weights.callbacks = {callbacks::LambdaCallback(
      {.on_train_batch_end = [&](int64_t, const Logs&) { plain[++update] = one.get_weights(); }})};
  one.fit(x_, y_, with_weights);
  const auto trained = one.trainable_weights().size();
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.rbegin()->first, 24);
  for (const auto& [n, weights] : seen) {
    for (std::size_t i = 0; i < trained; ++i) EXPECT_TRUE(at::allclose(weights[i], plain.at(n)[i], 1e-5, 1e-5)) << n;
  }
}

// It comes when all but the last batches are made, and one before it has gone without a word.
TEST_F(SidecarEvaluatorCases, MayComeLateAndLeave) {
  start_servers(1);
  Model first = compiled(), late = compiled();
  History of_first, of_late;
  SidecarEvaluator comes_late(late, data::TensorDataset(x_, y_), {.verbose = 0, .servers = addresses_});
  std::thread watcher;
  parity::on_grid_with({2, 1}, normalised, how(), served("async"), [&](Model& model, int64_t process) {
    if (process == 0) {
      SidecarEvaluator leaves(first, data::TensorDataset(x_, y_),
                              {.max_evaluations = 1, .verbose = 0, .servers = addresses_});
      std::thread leaver([&] { of_first = leaves.start(); });
      await(leaves);
      model.fit(x_, y_, {.batch_size = 7, .epochs = 1, .verbose = 0});
      leaver.join();
      watcher = std::thread([&] { of_late = comes_late.start(); });
      await(comes_late);
    } else {
      model.fit(x_, y_, {.batch_size = 7, .epochs = 1, .verbose = 0});
    }
    EXPECT_EQ(model.fit(x_, y_, {.batch_size = 7, .epochs = 1, .verbose = 0})["loss"].size(), 1U);
  });
  watcher.join();
  EXPECT_EQ(of_first["val_loss"].size(), 1U);
  EXPECT_EQ(of_late["update"].back(), 2 * 13);
  for (auto& server : servers_) server->wait();
}

TEST_F(SidecarEvaluatorCases, StopsBetweenBatches) {
  start_servers(1);
  Model watching = compiled();
  std::unique_ptr<SidecarEvaluator> evaluator;
  int64_t batches = 0;
  evaluator = std::make_unique<SidecarEvaluator>(
      watching, data::TensorDataset(x_, y_),
      SidecarEvaluatorOptions{.callbacks = {callbacks::LambdaCallback({.on_test_batch_end =
                                                                           [&](int64_t batch, const Logs&) {
                                                                             ++batches;
                                                                             if (batch == 1) evaluator->stop();
                                                                           }})},
                              .batch_size = 7,
                              .verbose = 0,
                              .servers = addresses_});
  History history;
  std::thread watcher([&] { history = evaluator->start(); });
  await(*evaluator);
  parity::on_grid_with({1, 1}, normalised, how(), served("async"),
                       [&](Model& model, int64_t) { model.fit(x_, y_, {.batch_size = 7, .epochs = 2, .verbose = 0}); });
  watcher.join();
  EXPECT_TRUE(history.interrupted());
  EXPECT_EQ(batches, 2);
  EXPECT_EQ(history.count("val_loss"), 0);
}

TEST_F(SidecarEvaluatorCases, NamesWhatDoesNotFit) {
  const auto data = data::TensorDataset(x_, y_);
  const auto said = [&](const Model& model, const SidecarEvaluatorOptions& options) {
    return message_of([&] { SidecarEvaluator(model, data, options); });
  };
  EXPECT_EQ(said(compiled(), {}),
            "evaluator: the job must have parameter servers, whose parameters it evaluates; got none");
  EXPECT_EQ(said(compiled(), {.evaluate_every = 0}), "evaluator: evaluate_every must be at least 1, got 0");
  EXPECT_EQ(said(compiled(), {.verbose = 7}), "evaluator: verbose must be from 0 to 2, got 7");
  EXPECT_EQ(said(compiled(), {.begin_seconds = -1}), "evaluator: begin_seconds must be positive, got -1");
  start_servers(1);
  EXPECT_EQ(said(normalised(), {.servers = addresses_}), "evaluator: the model must be compiled with a loss");

  Model other =
      Sequential({layers::Input({6}), layers::Dense(4), layers::BatchNormalization(), layers::Dense(3)}, "other");
  other.compile(how());
  std::string why;
  SidecarEvaluator evaluator(other, data, {.verbose = 0, .servers = addresses_});
  std::thread watcher([&] { why = message_of([&] { evaluator.start(); }); });
  await(evaluator);
  parity::on_grid_with({1, 1}, normalised, how(), served("async"),
                       [&](Model& model, int64_t) { model.fit(x_, y_, {.batch_size = 7, .verbose = 0}); });
  watcher.join();
  EXPECT_EQ(
      why,
      "evaluator: model 'other' must be the workers', but trained weight 0 is 'kernel' [6, 4], and theirs 'kernel' "
      "[6, 8]");
}

}  // namespace
}  // namespace tandem
