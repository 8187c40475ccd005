// Trainer::fit: the loop over epochs and batches, in Keras's order of events.
#include <c10/util/StringUtil.h>

#include <chrono>
#include <cmath>
#include <iostream>

#include "tandem/callbacks/callback_list.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/data/loader.h"
#include "tandem/report/progress_bar.h"
#include "tandem/training/progress.h"
#include "tandem/training/running_figures.h"
#include "tandem/training/trainer.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

void check(const FitPlan& plan) {
  if (plan.batch_size < 1) throw InvalidArgument(c10::str("fit: batch_size must be at least 1, got ", plan.batch_size));
  if (plan.validation_batch_size < 1) {
    throw InvalidArgument(c10::str("fit: validation_batch_size must be at least 1, got ", plan.validation_batch_size));
  }
  if (plan.epochs < 0) throw InvalidArgument(c10::str("fit: epochs must not be negative, got ", plan.epochs));
  if (plan.initial_epoch < 0)
    throw InvalidArgument(c10::str("fit: initial_epoch must not be negative, got ", plan.initial_epoch));
  if (plan.steps_per_epoch == 0 || plan.steps_per_epoch < -1) {
    throw InvalidArgument(
        c10::str("fit: steps_per_epoch must be positive, or -1 for all data, got ", plan.steps_per_epoch));
  }
  if (plan.validation_steps == 0 || plan.validation_steps < -1) {
    throw InvalidArgument(
        c10::str("fit: validation_steps must be positive, or -1 for all data, got ", plan.validation_steps));
  }
  if (plan.validation_freq < 1)
    throw InvalidArgument(c10::str("fit: validation_freq must be at least 1, got ", plan.validation_freq));
  if (plan.verbose < 0 || plan.verbose > 2)
    throw InvalidArgument(c10::str("fit: verbose must be 0, 1 or 2, got ", plan.verbose));
}

// "training on cpu:0,cpu:1 (1 thread each): 16 + 16 rows of each batch of 32, 45 steps an epoch"
std::string describe(const distribute::Execution& execution, int64_t batch_size, int64_t steps) {
  std::string rows;
  for (int64_t n : execution.division(batch_size)) rows += c10::str(rows.empty() ? "" : " + ", n);
  const int64_t threads = execution.threads_per_device();
  return c10::str("training on ", execution.devices().to_string(), " (", threads, threads == 1 ? " thread" : " threads",
                  execution.devices().size() > 1 ? " each): " : "): ", rows, " rows of each batch of ", batch_size,
                  ", ", steps, " steps an epoch");
}

// What the execution's counters say now; the difference of two is what happened between them.
History::Facts count(const distribute::Execution& execution) {
  History::Facts facts;
  facts.rows = execution.rows_trained();
  for (int64_t r = 0; r < execution.devices().size(); ++r) {
    facts.devices.push_back(execution.devices()[r].to_string());
    facts.bytes_sent.push_back(execution.bytes_sent(r));
    const auto shares = execution.time_shares(r);
    facts.compute_seconds.push_back(shares.compute);
    facts.exchange_seconds.push_back(shares.exchange);
    facts.waiting_seconds.push_back(shares.waiting);
  }
  return facts;
}

History::Facts since(const History::Facts& before, History::Facts now) {
  for (std::size_t r = 0; r < now.rows.size(); ++r) {
    now.rows[r] -= before.rows[r];
    now.bytes_sent[r] -= before.bytes_sent[r];
    now.compute_seconds[r] -= before.compute_seconds[r];
    now.exchange_seconds[r] -= before.exchange_seconds[r];
    now.waiting_seconds[r] -= before.waiting_seconds[r];
  }
  return now;
}

void warn_of_idle_devices(const distribute::Execution& execution, const std::vector<int64_t>& before, int64_t epoch) {
  const auto rows = execution.rows_trained();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r] == before[r]) {
      log_warning(c10::str("device ", execution.devices()[static_cast<int64_t>(r)].to_string(), " got no row in epoch ",
                           epoch + 1, "; use larger batches or fewer devices"));
    }
  }
}

}  // namespace

History Trainer::fit(const FitPlan& plan, TrainedModel& model) {
  const Use use(*this);
  if (fitting_) throw InvalidArgument(c10::str("fit: model '", parts_.network->name(), "' is being trained already"));
  if (!parts_.optimizer) throw InvalidArgument("fit: the model must be compiled with a loss and an optimizer first");
  require_loss("fit");
  check(plan);
  bind(plan.data);
  execution_->load();
  fitting_ = true;
  try {
    auto history = run_fit(plan, model);
    fitting_ = false;
    return history;
  } catch (...) {
    fitting_ = false;
    ++passes_;            // the next fit begins a pass of its own
    execution_->store();  // what was learned before the failure is kept
    throw;
  }
}

History Trainer::run_fit(const FitPlan& plan, TrainedModel& model) {
  auto& execution = *execution_;
  RunningFigures figures = running_figures();
  const auto observe = figures.observer();

  const int64_t batch_size = plan.data.batch_size() ? plan.data.batch_size() : plan.batch_size;
  // One pass an epoch, unless steps_per_epoch sets them apart.
  const int64_t last_pass = plan.steps_per_epoch > 0 ? -1 : passes_ + plan.epochs - plan.initial_epoch - 1;
  data::Loader loader(plan.data, {.batch_size = batch_size, .last_epoch = last_pass, .random = random_});
  if (loader.batches() == 0) {
    throw InvalidArgument(c10::str("fit: data must fill at least one batch of ", batch_size, ", got ", plan.data.size(),
                                   " rows with the rest dropped"));
  }
  const int64_t steps = plan.steps_per_epoch > 0 ? plan.steps_per_epoch : loader.batches();
  if (plan.verbose > 0) log_info(describe(execution, batch_size, steps));

  const CallbackList callbacks(plan.callbacks);
  const AttachedModel attached(callbacks, model);
  callbacks.each(&Callback::set_params, CallbackParams{plan.epochs, steps, plan.verbose});
  report::ProgressBar bar(std::cout, progress_options(steps, callbacks.draws_progress() ? 0 : plan.verbose));

  const auto before = count(execution);
  const auto start = Clock::now();
  double waited = 0;
  bool warned_of_nan = false, data_open = false;
  History history;
  Logs train_logs;
  stopping_ = false;
  callbacks.each(&Callback::on_train_begin, train_logs);
  for (int64_t epoch = plan.initial_epoch; epoch < plan.epochs; ++epoch) {
    const auto rows_before = execution.rows_trained();
    figures.reset();
    bar.start_epoch(epoch, plan.epochs);
    Logs epoch_logs;
    callbacks.each(&Callback::on_epoch_begin, epoch, epoch_logs);
    // With steps_per_epoch an epoch goes on in the data where the last one ended; else each is one pass.
    if (!data_open) {
      loader.start_epoch(passes_);
      data_open = true;
    }
    int64_t rows_done = 0, step = 0;
    while (step < steps) {
      auto batch = loader.next();
      if (!batch) {
        ++passes_;
        waited += loader.waited();
        loader.start_epoch(passes_);
        if (step == 0) {  // the last epoch ended with the data
          batch = loader.next();
        } else {
          log_warning(c10::str("fit: the data ended after ", step, " of ", steps, " steps of epoch ", epoch + 1,
                               "; the next begins with its first row"));
          break;
        }
      }
      Logs batch_logs;
      callbacks.each(&Callback::on_train_batch_begin, step, batch_logs);
      const int64_t iteration = execution.iterations();
      const auto result =
          execution.train_step(*batch, random_.fold("step").fold(static_cast<uint64_t>(execution.steps())),
                               parts_.optimizer->learning_rate(iteration), observe);
      figures.losses.add(result);
      if (!std::isfinite(result.loss) && !warned_of_nan) {
        warned_of_nan = true;
        bar.clear();
        log_warning(c10::str("loss is ", result.loss, " at step ", step + 1, " of epoch ", epoch + 1, " (update ",
                             iteration + 1, ")"));
      }
      rows_done += result.rows;
      ++step;
      const bool due = bar.advance(step, rows_done);
      if (due || !callbacks.empty()) {
        batch_logs = figures.logs();
        if (due) bar.draw(batch_logs);
        callbacks.each(&Callback::on_train_batch_end, step - 1, batch_logs);
      }
      if (stopping_) break;
    }
    if (plan.steps_per_epoch < 0) {
      ++passes_;
      waited += loader.waited();
      data_open = false;
    }
    execution.store();
    ++epochs_trained_;
    epoch_logs = figures.logs();
    if (plan.validation && (epoch + 1) % plan.validation_freq == 0) {
      const auto validation = run_evaluate({*plan.validation, plan.validation_batch_size, plan.validation_steps, 0, {}},
                                           model, callbacks, true);
      for (const auto& [name, value] : validation) epoch_logs.set("val_" + name, value);
    }
    bar.finish_epoch(epoch_logs);
    warn_of_idle_devices(execution, rows_before, epoch);
    callbacks.each(&Callback::on_epoch_end, epoch, epoch_logs);
    history.append(epoch, epoch_logs);
    train_logs = epoch_logs;
    if (stopping_) break;
  }
  if (data_open) {  // the next fit begins a pass of its own
    ++passes_;
    waited += loader.waited();
  }
  callbacks.each(&Callback::on_train_end, train_logs);

  auto facts = since(before, count(execution));
  facts.input_seconds = waited;
  facts.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  history.set_facts(std::move(facts));
  return history;
}

}  // namespace tandem
