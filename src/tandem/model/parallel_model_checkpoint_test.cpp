// Checkpoints of parallel models are the template's files, whenever they are written.
#include "tandem/model/parallel_model_checkpoint.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tandem/callbacks/lambda_callback.h"
#include "tandem/core/random.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/multi_gpu.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using callbacks::ModelCheckpoint;
using callbacks::ParallelModelCheckpoint;

Model template_of_two() {
  return Sequential({layers::Input({3}), layers::Dense(4, {.activation = "tanh"}), layers::Dense(1)}, "net");
}

class ParallelCheckpoint : public ::testing::Test {
 protected:
  ParallelCheckpoint()
      : place_(std::filesystem::path(::testing::TempDir()) / "tandem_parallel_checkpoint"),
        x_(RandomStream(5).normal({24, 3})),
        model_(template_of_two()),
        parallel_(multi_gpu_model(model_, Devices{"cpu:0", "cpu:1", "cpu:2", "cpu:3"})) {
    std::filesystem::remove_all(place_);
    parallel_.compile({.optimizer = "adam", .loss = "mse"});
  }
  ~ParallelCheckpoint() override { std::filesystem::remove_all(place_); }

  std::string file(const std::string& name) const { return (place_ / name).string(); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(place_)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  History fit(std::vector<Handle<Callback>> callbacks, int64_t epochs = 2) {
    return parallel_.fit(x_, x_.sum(1, true),
                         {.batch_size = 8, .epochs = epochs, .verbose = 0, .callbacks = std::move(callbacks)});
  }
  // The largest difference between the weights in the file, read by a plain model of its own, and `weights`.
  double distance(const std::string& name, const std::vector<Tensor>& weights) const {
    Model plain = template_of_two();
    EXPECT_TRUE(plain.load_weights(file(name)).complete());
    double largest = 0;
    for (std::size_t i = 0; i < weights.size(); ++i)
      largest = std::max(largest, (plain.get_weights()[i] - weights[i]).abs().max().item<double>());
    return largest;
  }

  std::filesystem::path place_;
  Tensor x_;
  Model model_, parallel_;
};

TEST_F(ParallelCheckpoint, FilesLoadIntoThePlainModel) {
  fit({ModelCheckpoint(file("a.weights.h5"), {.save_weights_only = true}),
       ModelCheckpoint(file("a.h5"), {.save_weights_only = true}),
       ParallelModelCheckpoint(model_, file("b-{epoch:02d}.weights.h5"), {.save_weights_only = true, .period = 2})});
  EXPECT_EQ(files(), (std::vector<std::string>{"a.h5", "a.weights.h5", "b-02.weights.h5"}));
  for (const auto& name : files()) {
    EXPECT_EQ(distance(name, model_.get_weights()), 0) << name;
    Model plain = template_of_two();
    plain.load_weights(file(name));
    EXPECT_TRUE(at::allclose(plain.predict(x_), parallel_.predict(x_), 0, 1e-6)) << name;
  }
}

TEST_F(ParallelCheckpoint, WithinAnEpochTheFileHasTheWeightsOfThatBatch) {
  std::vector<std::vector<Tensor>> after_batch;
  fit({callbacks::LambdaCallback(
           {.on_train_batch_end = [&](int64_t, Logs&) { after_batch.push_back(parallel_.get_weights()); }}),
       ModelCheckpoint(file("{epoch}-{batch}.weights.h5"), {.save_weights_only = true, .save_freq = 2})});
  EXPECT_EQ(files(), (std::vector<std::string>{"1-2.weights.h5", "2-1.weights.h5", "2-3.weights.h5"}));
  EXPECT_EQ(distance("1-2.weights.h5", after_batch.at(1)), 0);
  EXPECT_EQ(distance("2-1.weights.h5", after_batch.at(3)), 0);
  EXPECT_EQ(distance("2-3.weights.h5", after_batch.at(5)), 0);
}

TEST_F(ParallelCheckpoint, ABetterFileIsKept) {
  fit({ModelCheckpoint(file("best.weights.h5"),
                       {.monitor = "loss", .save_best_only = true, .save_weights_only = true})},
      1);
  const auto first = model_.get_weights();
  fit({ModelCheckpoint(
      file("best.weights.h5"),
      {.monitor = "loss", .save_best_only = true, .save_weights_only = true, .initial_value_threshold = -1})});
  EXPECT_EQ(distance("best.weights.h5", first), 0) << "worse than the threshold: kept";
  EXPECT_EQ(files(), std::vector<std::string>{"best.weights.h5"}) << "nothing else is left behind";
}

TEST_F(ParallelCheckpoint, AnotherModelIsNotTheTemplate) {
  const auto fit_with = [&](const Model& model) {
    return testing::message_of(
        [&] { fit({ParallelModelCheckpoint(model, file("a.weights.h5"), {.save_weights_only = true})}, 1); });
  };
  EXPECT_EQ(fit_with(template_of_two()),
            "ParallelModelCheckpoint: model 'net' must be the one that is trained, or that the parallel model was made "
            "from");
  EXPECT_EQ(fit_with(model_), "nothing was thrown");
}

}  // namespace
}  // namespace tandem
