#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "tandem/callbacks/callback_list.h"
#include "tandem/core/activity.h"
#include "tandem/data/loader.h"
#include "tandem/report/progress_bar.h"
#include "tandem/training/divergence_check.h"
#include "tandem/training/look_ahead.h"
#include "tandem/training/running_figures.h"
#include "tandem/training/slowdown_check.h"
#include "tandem/training/trainer.h"

namespace tandem {

/// One call of Trainer::fit: epochs and batches in Keras's order of events.
class Trainer::FitLoop {
 public:
  /// Throws InvalidArgument when the data does not fill a batch.
  FitLoop(Trainer& trainer, const FitPlan& plan, TrainedModel& model);
  ~FitLoop();
  History run();

 private:
  void run_epoch(int64_t epoch);
  // With a crowd, in fit_loop_crowd.cpp: which batches this epoch is made of, which all processes deal with one another
  // by a number of its own.
  void begin_dealing(int64_t epoch);
  data::DealBatch deal();
  // The next batch that this process's own function gives, as long as the epoch needs one.
  std::optional<data::Batch> next_generated(int64_t epoch);
  // The figures of the epoch, of all processes.
  Logs epoch_logs();
  // Where a function gives the batches and has no more: throws where it gave none at all, else says, once, that the
  // training ends in this epoch before its time. False then.
  bool has_more(int64_t epoch);
  void end_with_data(int64_t epoch);
  void warn_of_short_epoch(int64_t epoch, int64_t had);
  void expect_batches_of(int64_t rows);
  // The next batch of the epoch; nothing where the data ended in mid-epoch.
  std::optional<data::Batch> next_batch(int64_t epoch);
  // One step; its batch was waited for during `input` seconds.
  void train(const data::Batch& batch, int64_t epoch, double input);
  // Of the step that was made, or of earlier ones.
  void add(const distribute::StepResult& result, int64_t epoch, int64_t update);
  // Once, of a loss that is not finite.
  void warn_of_loss(double loss, int64_t epoch, int64_t update);
  void warn_of_divergence();
  // " at a learning rate of ..., with gradients that are up to ... updates old", where steps do not wait.
  std::string circumstances() const;
  // The last step's figures, where someone looks at them.
  void show_step();
  void validate(int64_t epoch, Logs& logs);
  // False, and noted, where the training is to end here: from outside, where it `passes` the gate, after stop_training,
  // or because another process wants to.
  bool goes_on(bool passes);
  // The same before an epoch, without regard to stop_training.
  bool may_begin();
  // Notes whether the training is to end, by this process's `own` gate or another's. Where processes train each at its
  // own pace, all are told.
  void end_if(bool interrupted, bool own);
  void end_pass();
  History::Facts facts(double started) const;

  Trainer& trainer_;
  const FitPlan& plan_;
  TrainedModel& model_;
  distribute::Execution& execution_;
  RunningFigures figures_;
  const distribute::Observer observe_;
  const bool counted_;      // else a function gives batches, nobody knows how many
  int64_t batch_size_ = 0;  // of what is not counted that of the first batch
  data::Loader loader_;
  LookAhead batches_;
  const int64_t steps_;  // of an epoch; negative: it ends with the data, or when the crowd has made all
  const CallbackList callbacks_;
  report::ProgressBar bar_;
  std::optional<SlowdownCheck> slowdown_;
  History history_;
  History::Facts before_;             // what was counted when it began
  Logs train_logs_;                   // of the last epoch
  int64_t step_ = 0, rows_done_ = 0;  // of the epoch
  struct {
    int64_t number = 0;            // of the epoch, among all that the crowd has trained
    int64_t first = 0, count = 0;  // batches of the pass
  } dealt_;
  int64_t dealt_before_ = 0;          // batches of the pass
  int64_t own_passes_ = 0;            // that this process's function has ended before the others'
  double waited_ = 0;                 // for data, in passes that have ended
  bool draw_ = false, show_ = false;  // the figures so far
  bool look_ = false;                 // agreed to make them
  DivergenceCheck divergence_;        // of what is trained out of step
  bool pass_open_ = false, warned_of_loss_ = false, interrupted_ = false, data_ended_ = false;
};

}  // namespace tandem
