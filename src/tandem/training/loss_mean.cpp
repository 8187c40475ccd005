#include "tandem/training/loss_mean.h"

namespace tandem {

void LossMean::add(const distribute::StepResult& step) {
  if (step.rows == 0) return;
  weighted_ += step.loss * static_cast<double>(step.rows);
  if (outputs_.size() < step.outputs.size()) outputs_.resize(step.outputs.size());
  for (std::size_t i = 0; i < step.outputs.size(); ++i) outputs_[i] += step.outputs[i];
  for (const auto& [name, value] : step.reported) {
    auto& mean = reported_[name];
    mean.weighted += value * static_cast<double>(step.rows);
    mean.rows += step.rows;
  }
  rows_ += step.rows;
  ++batches_;
}

void LossMean::put(distribute::PeerMessage& message) const {
  for (const double value : {weighted_, static_cast<double>(rows_), static_cast<double>(batches_)}) message.put(value);
  message.put(outputs_);
  message.put(static_cast<double>(reported_.size()));
  for (const auto& [name, mean] : reported_) {
    message.put(name);
    message.put(mean.weighted);
    message.put(static_cast<double>(mean.rows));
  }
}

void LossMean::add(distribute::PeerMessage& message) {
  weighted_ += message.number();
  rows_ += message.integer();
  batches_ += message.integer();
  const auto outputs = message.numbers();
  if (outputs_.size() < outputs.size()) outputs_.resize(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs_[i] += outputs[i];
  for (int64_t left = message.integer(); left > 0; --left) {
    auto& mean = reported_[message.text()];
    mean.weighted += message.number();
    mean.rows += message.integer();
  }
}

void LossMean::results(Logs& logs) const {
  if (names_.size() > 1) {
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      logs.set(names_[i] + "_loss", batches_ ? outputs_[i] / static_cast<double>(batches_) : 0);
  }
  // A model's own step that asked for no loss has none to show.
  if (batches_ == 0 || !outputs_.empty()) logs.set("loss", rows_ ? weighted_ / static_cast<double>(rows_) : 0);
  for (const auto& [name, mean] : reported_) logs.set(name, mean.weighted / static_cast<double>(mean.rows));
}

void LossMean::reset() {
  weighted_ = 0;
  reported_.clear();
  outputs_.clear();
  rows_ = batches_ = 0;
}

}  // namespace tandem
