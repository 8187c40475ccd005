#pragma once
#include <memory>

#include "tandem/callbacks/history.h"
#include "tandem/core/tensor.h"
#include "tandem/data/dataset.h"
#include "tandem/model/fit_options.h"
#include "tandem/model/model.h"
#include "tandem/training/progress_board.h"

namespace tandem {

/// One call of fit in a thread of its own, which can be watched, held and ended from any other:
///     TrainingJob job(model, x, y, {.epochs = 100});
///     job.start();
///     ...
///     History history = job.wait();
/// Callbacks run on the job's thread and may call everything but wait(). The model is held, so a temporary lives on.
/// While the job trains, calls on its model wait for its end; while it is paused, predict and evaluate go through and
/// see the weights of that moment. Jobs on different models run at the same time, those on one model one after the
/// other. Thread-safe but for moving and destroying it.
class TrainingJob {
 public:
  TrainingJob(const Model& model, const Tensors& x, const Tensors& y, const FitOptions& options = {});
  TrainingJob(const Model& model, const Dataset& data, const FitOptions& options = {});
  TrainingJob(TrainingJob&&) noexcept;
  TrainingJob& operator=(TrainingJob&&) noexcept;
  /// Stops it and waits for its end. Where it failed and nobody called wait(), the log says so.
  ~TrainingJob();

  /// Begins to train. Throws InvalidArgument when it was called before, and on arguments that do not fit.
  void start();
  /// Holds the training; returns when its step in flight has ended and the callbacks of that step have returned. Within
  /// a validation the batch of that is the step. Before start(): it will wait before its first step. After the end:
  /// nothing. Within a callback it returns at once and the training is held when the callback has returned.
  void pause();
  /// Lets a paused training go on; nothing where it is not.
  void resume();
  /// Ends the training, also a paused one, and returns when it has ended: after the step in flight no other is made, a
  /// validation is left, on_epoch_end of an epoch that had a step and on_train_end are called. What was learned is in
  /// the model. Before start(): it will end before its first step. Within a callback it returns at once.
  void stop();
  /// The same without waiting for the end.
  void request_stop();

  /// Waits for the end and returns what fit returns; interrupted() is true where stop() cut it off. Throws what ended
  /// the training, and InvalidArgument before start(), while the job is paused and from its own callbacks: it would
  /// wait for ever.
  History wait();
  /// From start() to the end, also while it is paused.
  bool running() const;
  JobProgress progress() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;  // also the thread's, so that a callback may let go of the job
};

}  // namespace tandem
