#include "tandem/training/loss_mean.h"

namespace tandem {

void LossMean::add(const distribute::StepResult& step) {
  weighted_ += step.loss * static_cast<double>(step.rows);
  if (outputs_.size() < step.outputs.size()) outputs_.resize(step.outputs.size());
  for (std::size_t i = 0; i < step.outputs.size(); ++i) outputs_[i] += step.outputs[i];
  rows_ += step.rows;
  ++batches_;
}

void LossMean::results(Logs& logs) const {
  if (names_.size() > 1) {
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      logs.set(names_[i] + "_loss", batches_ ? outputs_[i] / static_cast<double>(batches_) : 0);
  }
  logs.set("loss", rows_ ? weighted_ / static_cast<double>(rows_) : 0);
}

void LossMean::reset() {
  weighted_ = 0;
  outputs_.clear();
  rows_ = batches_ = 0;
}

}  // namespace tandem
