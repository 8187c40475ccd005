#include "tandem/training/progress_board.h"

#include "tandem/core/steady_seconds.h"

namespace tandem {

constexpr double kOldAfter = 0.05;  // seconds: nobody reads a figure faster than twenty times a second

void ProgressBoard::begin(int64_t epochs, int64_t steps) {
  const std::lock_guard lock(mutex_);
  progress_.epochs = epochs;
  progress_.steps = steps;
}

void ProgressBoard::start_epoch(int64_t epoch) {
  const std::lock_guard lock(mutex_);
  progress_.epoch = epoch;
}

bool ProgressBoard::step_done() {
  const std::lock_guard lock(mutex_);
  ++progress_.step;
  return steady_seconds() - shown_at_ > kOldAfter;
}

void ProgressBoard::show(const Logs& logs) {
  const std::lock_guard lock(mutex_);
  progress_.logs = logs;
  shown_at_ = steady_seconds();
}

JobProgress ProgressBoard::read() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

}  // namespace tandem
