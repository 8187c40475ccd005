#include "tandem/training/fit_loop.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <utility>

#include "tandem/core/activity.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/core/steady_seconds.h"
#include "tandem/training/fit_facts.h"
#include "tandem/training/progress.h"
#include "tandem/training/staleness_report.h"
#include "tandem/training/time_report.h"

namespace tandem {

Trainer::FitLoop::FitLoop(Trainer& trainer, const FitPlan& plan, TrainedModel& model)
    : trainer_(trainer),
      plan_(plan),
      model_(model),
      execution_(*trainer.execution_),
      figures_(trainer.running_figures()),
      observe_(figures_.observer()),
      counted_(plan.data.size() != data::kUnknownSize),
      batch_size_(!counted_                ? 0
                  : plan.data.batch_size() ? plan.data.batch_size()
                                           : plan.batch_size),
      // One pass an epoch, unless steps_per_epoch sets them apart.
      loader_(plan.data,
              {.batch_size = batch_size_,
               .last_epoch = plan.steps_per_epoch > 0 ? -1 : trainer.passes_ + plan.epochs - plan.initial_epoch - 1,
               .random = trainer.random_,
               .own_rows = execution_.own_rows(),
               .deal = deal()}),
      batches_(loader_, execution_),
      steps_(execution_.crowd()         ? -1
             : plan.steps_per_epoch > 0 ? plan.steps_per_epoch
                                        : loader_.batches()),
      callbacks_(plan.callbacks),
      bar_(std::cout,
           progress_options(steps_, callbacks_.draws_progress() ? 0 : plan.verbose, execution_.crowd() != nullptr)) {
  if (counted_) expect_batches_of(batch_size_);
}

Trainer::FitLoop::~FitLoop() {
  report_step(0);
  try {
    execution_.finish_steps();       // they call this loop's observer
  } catch (const std::exception&) {  // the loop itself has failed
  }
}

void Trainer::FitLoop::expect_batches_of(int64_t rows) {
  batch_size_ = rows;
  if (execution_.devices().size() > 1 && !execution_.peers() && !execution_.crowd() &&
      trainer_.checked_batch_size_ != rows)
    slowdown_.emplace(execution_, rows);
}

History Trainer::FitLoop::run() {
  if (plan_.verbose > 0) {
    const int64_t steps = plan_.steps_per_epoch > 0 ? plan_.steps_per_epoch : steps_;
    log_info(describe_training(execution_, batch_size_, steps, plan_.accumulate));
  }
  const int64_t epochs = std::max<int64_t>(plan_.epochs - plan_.initial_epoch, 0);
  if (plan_.board) plan_.board->begin(plan_.epochs, steps_ < 0 ? -1 : steps_ * epochs);
  const AttachedModel attached(callbacks_, model_);
  callbacks_.each(&Callback::set_params, CallbackParams{plan_.epochs, steps_, plan_.verbose});

  before_ = count_facts(execution_);
  const double started = steady_seconds();
  trainer_.held_seconds_ = 0;
  trainer_.stopping_ = false;
  trainer_.begins_at_.reset();
  callbacks_.each(&Callback::on_train_begin, train_logs_);
  if (execution_.peers()) trainer_.begin_pass();  // a callback may have restored a backup
  trainer_.follow_crowd();
  for (int64_t epoch = trainer_.begins_at_.value_or(plan_.initial_epoch); epoch < plan_.epochs && may_begin();
       ++epoch) {
    run_epoch(epoch);
    if (!goes_on(false) || data_ended_) break;
  }
  if (pass_open_) end_pass();  // the next fit begins a pass of its own
  if (plan_.epochs > 0) trainer_.take_averages();
  callbacks_.each(&Callback::on_train_end, train_logs_);

  history_.set_facts(facts(started));
  if (interrupted_) history_.set_interrupted();
  if (plan_.verbose > 0 && execution_.devices().size() > 1) log_info(describe_time(history_.facts()));
  for (const auto& line : {describe_staleness(history_), describe_averages(history_)}) {
    if (plan_.verbose > 0 && !line.empty()) log_info(line);
  }
  if (const auto advice = input_advice(history_.facts()); !advice.empty() && trainer_.leads()) log_warning(advice);
  return std::move(history_);
}

void Trainer::FitLoop::run_epoch(int64_t epoch) {
  const auto rows_before = execution_.rows_trained();
  figures_.reset();
  bar_.start_epoch(epoch, plan_.epochs);
  if (plan_.board) plan_.board->start_epoch(epoch);
  Logs logs;
  callbacks_.each(&Callback::on_epoch_begin, epoch, logs);
  // With steps_per_epoch an epoch goes on in the data where the last one ended; else each is one pass.
  if (!pass_open_) batches_.start_epoch(trainer_.passes_ + own_passes_);
  pass_open_ = true;
  begin_dealing(epoch);
  step_ = rows_done_ = 0;
  draw_ = show_ = look_ = false;
  while (steps_ < 0 || step_ < steps_) {
    const double start = steady_seconds();
    const auto batch = next_batch(epoch);
    if (!batch) {
      end_if(interrupted_, interrupted_);
      break;
    }
    train(*batch, epoch, steady_seconds() - start);
    if (!goes_on(step_ != steps_)) break;
  }
  for (const auto& result : execution_.finish_steps()) add(result, epoch, execution_.iterations());
  if (!has_more(epoch) && step_ == 0) return;
  execution_.end_pass(dealt_.number);
  trainer_.finish_update();
  if (plan_.steps_per_epoch < 0 || (execution_.crowd() && counted_ && dealt_before_ == loader_.batches())) end_pass();
  execution_.store();
  if (execution_.crowd() && interrupted_ && rows_done_ == 0) return bar_.clear();  // there are no figures of it
  const auto had = execution_.receipt(rows_done_);
  ++trainer_.epochs_trained_;
  logs = epoch_logs();
  if (execution_.crowd() && figures_.rows_of_all == 0) return end_with_data(epoch);
  if (!interrupted_) validate(epoch, logs);
  bar_.finish_epoch(logs);
  if (execution_.crowd()) {  // others may have been faster
  } else if (!execution_.peers()) {
    warn_of_idle_devices(execution_, rows_before, epoch);
  } else if (trainer_.leads()) {
    warn_of_idle_ranks(had, epoch);
  }
  {
    const ActivityScope activity(Activity::callback);
    callbacks_.each(&Callback::on_epoch_end, epoch, logs);
  }
  history_.append(epoch, logs);
  if (plan_.board) plan_.board->show(logs);
  train_logs_ = logs;
}

bool Trainer::FitLoop::has_more(int64_t epoch) {
  if (execution_.crowd()) return true;
  if (step_ > 0 && !loader_.spent()) return true;
  if (batch_size_ == 0) throw_no_batch("fit");
  if (trainer_.stopping_ || (step_ > 0 && step_ >= steps_ && epoch + 1 == plan_.epochs)) return true;
  end_with_data(epoch);
  return false;
}

void Trainer::FitLoop::end_with_data(int64_t epoch) {
  data_ended_ = true;
  if (!trainer_.leads()) return;
  bar_.clear();
  const std::string steps = steps_ < 0 ? c10::str(step_) : c10::str(step_, " of ", steps_);
  log_warning(c10::str("fit: the data ended for good after ", steps, " steps of epoch ", epoch + 1, " of ",
                       plan_.epochs, ", and the training with it; a BatchGenerator made with a function of the pass ",
                       "begins anew"));
}

std::optional<data::Batch> Trainer::FitLoop::next_batch(int64_t epoch) {
  const ActivityScope activity(Activity::data);
  if (execution_.crowd() && !counted_) return next_generated(epoch);
  if (auto batch = batches_.next()) return batch;
  if (steps_ < 0 || loader_.spent()) return {};
  end_pass();
  batches_.start_epoch(trainer_.passes_);
  pass_open_ = true;
  if (step_ == 0) return batches_.next();  // the last epoch ended with the data
  warn_of_short_epoch(epoch, step_);
  return {};
}

void Trainer::FitLoop::warn_of_short_epoch(int64_t epoch, int64_t had) {
  if (!trainer_.leads()) return;
  log_warning(c10::str("fit: the data ended after ", had, " of ", plan_.steps_per_epoch, " steps of epoch ", epoch + 1,
                       "; the next begins with its first row"));
}

void Trainer::FitLoop::train(const data::Batch& batch, int64_t epoch, double input) {
  if (!counted_) trainer_.check_rows("fit", batch);
  if (batch_size_ == 0) expect_batches_of(batch.rows());
  Logs logs;
  callbacks_.each(&Callback::on_train_batch_begin, step_, logs);
  const bool update = (step_ + 1) % plan_.accumulate == 0 || step_ + 1 == steps_;
  const auto number = static_cast<uint64_t>(execution_.steps());
  report_step(execution_.steps() + 1);
  const int64_t iteration = execution_.iterations();
  const double start = steady_seconds();
  trainer_.update_open_ = false;  // where the step fails, what it left open is the execution's to drop
  const auto result = [&] {
    const ActivityScope activity(Activity::compute);
    return execution_.train_step(batch,
                                 {.random = trainer_.random_.fold("step").fold(number),
                                  .rate = trainer_.parts_.optimizer->learning_rate(iteration),
                                  .update = update},
                                 observe_);
  }();
  trainer_.update_open_ = !update;
  const double seconds = input + steady_seconds() - start;
  ++step_;
  add(result, epoch, iteration + 1);
  show_step();
  if (!slowdown_) return;
  slowdown_->add(batch.rows(), seconds, input);
  // With a group of accumulated gradients open there is no place for another batch's.
  if (!update || !slowdown_->knows_enough(steps_ < 0 ? INT64_MAX : steps_ - step_)) return;
  const auto warning = slowdown_->warning(batch);
  slowdown_.reset();
  trainer_.checked_batch_size_ = batch_size_;
  if (warning.empty()) return;
  bar_.clear();
  log_warning(warning);
}

void Trainer::FitLoop::add(const distribute::StepResult& result, int64_t epoch, int64_t update) {
  figures_.losses.add(result);
  rows_done_ += result.rows;
  if (!std::isfinite(result.loss)) warn_of_loss(result.loss, epoch, update);
  if (result.rows > 0 && execution_.out_of_step() && divergence_.add(result.loss, result.rows)) warn_of_divergence();
}

void Trainer::FitLoop::validate(int64_t epoch, Logs& logs) {
  if (!plan_.validation || (epoch + 1) % plan_.validation_freq != 0) return;
  const auto validation = trainer_.run_evaluate({.data = *plan_.validation,
                                                 .batch_size = plan_.validation_batch_size,
                                                 .steps = plan_.validation_steps,
                                                 .verbose = 0,
                                                 .gate = plan_.gate},
                                                callbacks_, true);
  end_if(!validation, !validation && !trainer_.pass(plan_.gate));
  if (!validation) return;
  for (const auto& [name, value] : *validation) logs.set("val_" + name, value);
}

void Trainer::FitLoop::end_pass() {
  ++trainer_.passes_;
  waited_ += loader_.waited();
  pass_open_ = false;
}

History::Facts Trainer::FitLoop::facts(double started) const {
  auto facts = facts_between(before_, count_facts(execution_));
  facts.input_seconds = waited_;
  facts.seconds = steady_seconds() - started - trainer_.held_seconds_;
  fit_waiting_beside_computing(facts);
  return facts;
}

}  // namespace tandem
