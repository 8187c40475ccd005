#pragma once
#include <cstdint>
#include <mutex>

#include "tandem/core/logs.h"

namespace tandem {

/// How far a training is.
struct JobProgress {
  int64_t epoch = 0;   // in progress, counted from 0 as in callbacks
  int64_t epochs = 0;  // number of the last one, as given to fit
  int64_t step = 0;    // steps made by this training, over all its epochs: never goes back
  int64_t steps = 0;   // that it makes unless it ends before; -1: not known (data::BatchGenerator)
  /// Losses and metrics so far of the epoch in progress, at most a twentieth of a second and a step old; between epochs
  /// those of the last one, validation included.
  Logs logs = {};
};

/// Where a training says how far it is, and any thread can read it.
class ProgressBoard {
 public:
  void begin(int64_t epochs, int64_t steps);
  void start_epoch(int64_t epoch);
  /// Notes that a step is done; true when the figures on the board are old, so that new ones are worth making.
  bool step_done();
  void show(const Logs& logs);

  JobProgress read() const;

 private:
  mutable std::mutex mutex_;
  JobProgress progress_;
  double shown_at_ = 0;  // steady seconds
};

}  // namespace tandem
