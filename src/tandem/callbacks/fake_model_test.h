#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/ops/scalar_tensor.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tandem/callbacks/callback.h"
#include "tandem/network/trained_model.h"

namespace tandem {

/// What a callback sees of a model, and what it did to it.
class FakeModel : public TrainedModel {
 public:
  explicit FakeModel(double rate = 0.1) : rate(rate) {}

  std::vector<Tensor> get_weights() override { return {at::scalar_tensor(weight, at::kDouble)}; }
  void set_weights(const std::vector<Tensor>& values) override { weight = values.at(0).item<double>(); }
  StateDict optimizer_state() override { return {}; }
  void set_optimizer_state(const StateDict&) override {}
  double learning_rate() override { return rate; }
  void set_learning_rate(double value) override { rate = value; }
  void swap_weight_averages() override { std::swap(weight, average); }
  void set_weight_averages() override { average = weight; }
  TrainingProgress training_progress() override { return progress; }
  void begin_at(int64_t epoch, const std::optional<TrainingProgress>& after) override {
    begins_at = epoch;
    if (after) progress = *after;
  }
  void stop_training() override { stopped = true; }
  bool stopping() const override { return stopped; }
  std::string monitor_direction(const std::string& name) override {
    return name == "loss" ? "min" : directions.contains(name) ? directions.at(name) : "";
  }
  void record_trace(bool on) override {
    if (on) spans.clear();
    recording = on;
  }
  std::vector<TraceSpan> trace() override { return spans; }
  void save(const std::string& path) override { models.push_back(path); }
  void save_weights(const std::string& path) override { files.push_back(path); }
  void restore(const std::string& path) override { restored.push_back(path); }

  double rate;
  double weight = 0;  // the only one
  double average = 0;
  TrainingProgress progress;
  int64_t begins_at = 0;
  bool stopped = false;
  bool recording = false;
  std::vector<TraceSpan> spans;
  std::map<std::string, std::string> directions;
  std::vector<std::string> models, files, restored;
};

/// Calls the hooks of a training in which epoch i, from 0, leaves weight i and has `epochs[i]` as logs; returns the
/// logs as the callback left them, up to the epoch that it stopped after.
inline std::vector<Logs> train(Callback& callback, FakeModel& model, std::vector<Logs> epochs) {
  callback.set_model(&model);
  callback.set_params({static_cast<int64_t>(epochs.size()), 1, 1});
  model.stopped = false;
  Logs logs;
  callback.on_train_begin(logs);
  std::vector<Logs> seen;
  for (std::size_t i = 0; i < epochs.size() && !model.stopped; ++i) {
    const auto epoch = static_cast<int64_t>(i);
    Logs begin;
    callback.on_epoch_begin(epoch, begin);
    callback.on_train_batch_begin(0, begin);
    model.weight = static_cast<double>(i);
    callback.on_train_batch_end(0, epochs[i]);
    callback.on_epoch_end(epoch, epochs[i]);
    seen.push_back(epochs[i]);
  }
  callback.on_train_end(logs);
  callback.set_model(nullptr);
  return seen;
}

/// Logs of epochs in which `name` has these values.
inline std::vector<Logs> epochs_with(const std::string& name, const std::vector<double>& values) {
  std::vector<Logs> epochs;
  for (const double value : values) epochs.push_back(Logs({{name, value}}));
  return epochs;
}

}  // namespace tandem
