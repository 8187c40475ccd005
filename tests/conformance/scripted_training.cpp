#include "scripted_training.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <filesystem>

#include "case_folder.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/optimizers/sgd.h"

namespace tandem::conformance {
namespace {

class ScriptedLogs : public Callback {
 public:
  explicit ScriptedLogs(Script script) : script_(std::move(script)) {}

  void on_epoch_end(int64_t epoch, Logs& logs) override {
    mark(*model_, epoch);
    logs = {};
    for (const auto& [name, values] : script_) {
      const auto& value = values.at(static_cast<std::size_t>(epoch));
      if (value) logs.set(name, *value);
    }
  }

 private:
  Script script_;
};

}  // namespace

Script read_script(const Config& script) {
  Script read;
  for (const auto& [name, values] : script.as_object()) {
    auto& epochs = read.emplace_back(name, std::vector<std::optional<double>>{}).second;
    for (const auto& value : values.as_list())
      epochs.push_back(value.is_null() ? std::nullopt : std::optional<double>(to_number(value)));
  }
  return read;
}

Model model_with_marker(double rate, const std::vector<std::string>& metrics) {
  Sequential model({layers::Input({1}), layers::Dense(1, {.use_bias = false})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = rate}),
                 .loss = "mse",
                 .metrics = MetricsArgument::List(metrics.begin(), metrics.end())});
  return model;
}

void mark(TrainedModel& model, int64_t epoch) { model.set_weights({at::full({1, 1}, static_cast<double>(epoch))}); }

double marker(const Model& model) { return model.get_weights().front().item<double>(); }

void Watch::on_epoch_begin(int64_t epoch, Logs&) { begun.emplace_back(epoch, model_->learning_rate()); }

void Watch::on_epoch_end(int64_t, Logs&) {
  rates.push_back(model_->learning_rate());
  if (folder_.empty()) return;
  auto& names = files.emplace_back();
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
}

Trained train_by_script(const Script& script, const Handle<Callback>& callback, const ScriptedOptions& options) {
  Model model = model_with_marker(options.rate, options.metrics);
  const auto watch = std::make_shared<Watch>(options.folder);
  const Tensor zeros = at::zeros({options.steps, 1});
  auto history = model.fit(zeros, zeros,
                           {.batch_size = 1,
                            .epochs = static_cast<int64_t>(script.front().second.size()),
                            .verbose = 0,
                            .callbacks = {std::make_shared<ScriptedLogs>(script), callback, watch},
                            .shuffle = false,
                            .initial_epoch = options.initial_epoch});
  return {model, std::move(history), watch};
}

}  // namespace tandem::conformance
