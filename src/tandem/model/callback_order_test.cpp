// The order of all hooks, and what stop_training ends, as recorded from keras 3.15.1 (tensorflow-cpu 2.21.0) for the
// same calls: each line is a hook, its index and the sorted keys of its logs.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/model.h"

namespace tandem {
namespace {

class Recorder : public Callback {
 public:
  explicit Recorder(std::string stop_at = "") : stop_at_(std::move(stop_at)) {}

  void on_train_begin(Logs& logs) override { note("train_begin", logs); }
  void on_train_end(Logs& logs) override { note("train_end", logs); }
  void on_epoch_begin(int64_t i, Logs& logs) override { note("epoch_begin " + std::to_string(i), logs); }
  void on_epoch_end(int64_t i, Logs& logs) override { note("epoch_end " + std::to_string(i), logs); }
  void on_train_batch_begin(int64_t i, Logs& logs) override { note("train_batch_begin " + std::to_string(i), logs); }
  void on_train_batch_end(int64_t i, Logs& logs) override { note("train_batch_end " + std::to_string(i), logs); }
  void on_test_begin(Logs& logs) override { note("test_begin", logs); }
  void on_test_end(Logs& logs) override { note("test_end", logs); }
  void on_test_batch_begin(int64_t i, Logs& logs) override { note("test_batch_begin " + std::to_string(i), logs); }
  void on_test_batch_end(int64_t i, Logs& logs) override { note("test_batch_end " + std::to_string(i), logs); }
  void on_predict_begin(Logs& logs) override { note("predict_begin", logs); }
  void on_predict_end(Logs& logs) override { note("predict_end", logs); }
  void on_predict_batch_begin(int64_t i, Logs& logs) override {
    note("predict_batch_begin " + std::to_string(i), logs);
  }
  void on_predict_batch_end(int64_t i, Logs& logs) override { note("predict_batch_end " + std::to_string(i), logs); }

  std::string text;

 private:
  void note(const std::string& event, const Logs& logs) {
    text += event;
    for (const auto& [name, value] : logs.sorted()) text += " " + name;
    text += "\n";
    if (event == stop_at_) model_->stop_training();
  }
  const std::string stop_at_;
};

Model linear_on_two() {
  Sequential model({layers::Input({2}), layers::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mse"}});
  return model;
}

const Tensor& five_rows(int64_t columns) {
  static const Tensor x = at::ones({5, 2}), y = at::ones({5, 1});
  return columns == 2 ? x : y;
}

// fit in batches of 2 with 3 rows to validate on; returns what was recorded.
std::string record_fit(const std::string& stop_at, int64_t epochs) {
  Model model = linear_on_two();
  const auto recorder = std::make_shared<Recorder>(stop_at);
  const auto history = model.fit(five_rows(2), five_rows(1),
                                 {.batch_size = 2,
                                  .epochs = epochs,
                                  .verbose = 0,
                                  .callbacks = {recorder},
                                  .validation_data = {five_rows(2).slice(0, 0, 3), five_rows(1).slice(0, 0, 3)},
                                  .shuffle = false});
  if (!stop_at.empty()) {
    EXPECT_EQ(history["val_mse"].size(), 1U) << stop_at;
    // What comes after a stopped training is whole.
    const auto after = std::make_shared<Recorder>();
    model.evaluate(five_rows(2), five_rows(1), {.batch_size = 2, .verbose = 0, .callbacks = {after}});
    EXPECT_EQ(std::count(after->text.begin(), after->text.end(), '\n'), 8) << stop_at;
  }
  return recorder->text;
}

std::string train_batches(int64_t n) {
  std::string text;
  for (int64_t i = 0; i < n; ++i) {
    const auto index = std::to_string(i);
    text += "train_batch_begin " + index + "\ntrain_batch_end " + index + " loss mse\n";
  }
  return text;
}

const std::string kValidation =
    "test_begin\ntest_batch_begin 0\ntest_batch_end 0 loss mse\ntest_batch_begin 1\ntest_batch_end 1 loss "
    "mse\ntest_end loss mse\n";
const std::string kTrainEnd = "train_end loss mse val_loss val_mse\n";

std::string epoch_text(int64_t epoch, int64_t batches) {
  const auto index = std::to_string(epoch);
  return "epoch_begin " + index + "\n" + train_batches(batches) + kValidation + "epoch_end " + index +
         " loss mse val_loss val_mse\n";
}

TEST(CallbackOrder, Fit) {
  EXPECT_EQ(record_fit("", 2), "train_begin\n" + epoch_text(0, 3) + epoch_text(1, 3) + kTrainEnd);
  EXPECT_EQ(record_fit("", 0), "train_begin\ntrain_end\n");
}

TEST(CallbackOrder, StopTrainingEndsTheBatchInProgressAndValidates) {
  for (const char* hook : {"train_begin", "epoch_begin 0", "train_batch_begin 0", "train_batch_end 0"}) {
    EXPECT_EQ(record_fit(hook, 3), "train_begin\n" + epoch_text(0, 1) + kTrainEnd) << hook;
  }
  for (const char* hook : {"train_batch_begin 1", "train_batch_end 1"}) {
    EXPECT_EQ(record_fit(hook, 3), "train_begin\n" + epoch_text(0, 2) + kTrainEnd) << hook;
  }
  for (const char* hook : {"test_begin", "test_batch_end 0", "test_end", "epoch_end 0"}) {
    EXPECT_EQ(record_fit(hook, 3), "train_begin\n" + epoch_text(0, 3) + kTrainEnd) << hook;
  }
}

TEST(CallbackOrder, Evaluate) {
  Model model = linear_on_two();
  for (const char* stop :
       {"", "test_begin", "test_batch_begin 1", "test_batch_end 0"}) {  // stop_training does not end it
    const auto recorder = std::make_shared<Recorder>(stop);
    model.evaluate(five_rows(2), five_rows(1), {.batch_size = 2, .verbose = 0, .callbacks = {recorder}});
    EXPECT_EQ(
        recorder->text,
        "test_begin\ntest_batch_begin 0\ntest_batch_end 0 loss mse\ntest_batch_begin 1\ntest_batch_end 1 loss mse\n"
        "test_batch_begin 2\ntest_batch_end 2 loss mse\ntest_end loss mse\n");
  }
}

TEST(CallbackOrder, Predict) {  // Keras gives the outputs in the logs of predict_batch_end; Logs hold figures only
  Model model = linear_on_two();
  for (const char* stop : {"", "predict_begin", "predict_batch_end 0"}) {
    const auto recorder = std::make_shared<Recorder>(stop);
    EXPECT_EQ(model.predict(five_rows(2), {.batch_size = 2, .callbacks = {recorder}}).size(0), 5);
    EXPECT_EQ(recorder->text,
              "predict_begin\npredict_batch_begin 0\npredict_batch_end 0\npredict_batch_begin 1\npredict_batch_end 1\n"
              "predict_batch_begin 2\npredict_batch_end 2\npredict_end\n");
  }
}

TEST(CallbackOrder, LogsAreSharedAndReachTheHistory) {
  struct Adds : Callback {
    void on_epoch_end(int64_t epoch, Logs& logs) override { logs.set("mine", static_cast<double>(epoch) + 0.5); }
  };
  struct Sees : Callback {
    void on_epoch_end(int64_t, Logs& logs) override { seen.push_back(logs["mine"]); }
    std::vector<double> seen;
  };
  Model model = linear_on_two();
  const auto sees = std::make_shared<Sees>();
  const auto history =
      model.fit(five_rows(2), five_rows(1), {.epochs = 2, .verbose = 0, .callbacks = {std::make_shared<Adds>(), sees}});
  EXPECT_EQ(sees->seen, (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(history["mine"], (std::vector<double>{0.5, 1.5}));
}

TEST(CallbackOrder, CallbackSeesAndSetsWeightsWithinAnEpoch) {
  struct Resets : Callback {
    void on_train_batch_end(int64_t, Logs&) override {
      const auto now = model_->get_weights();
      EXPECT_FALSE(at::equal(now[0], at::zeros({2, 1})));
      model_->set_weights({at::zeros({2, 1}), at::zeros({1})});
    }
  };
  Model model = linear_on_two();
  model.set_weights({at::zeros({2, 1}), at::zeros({1})});
  const auto history =
      model.fit(five_rows(2), five_rows(1),
                {.batch_size = 2, .verbose = 0, .callbacks = {std::make_shared<Resets>()}, .shuffle = false});
  EXPECT_DOUBLE_EQ(history["loss"][0], 1.0);  // every batch began with zeros
  EXPECT_TRUE(at::equal(model.get_weights()[0], at::zeros({2, 1})));
}

}  // namespace
}  // namespace tandem
