// Trainer::evaluate and predict: one pass over data without an update.
#include <c10/util/StringUtil.h>

#include <iostream>

#include "tandem/callbacks/callback_list.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/data/loader.h"
#include "tandem/data/per_device.h"
#include "tandem/distribution/named_options.h"
#include "tandem/network/stateful.h"
#include "tandem/report/progress_bar.h"
#include "tandem/training/look_ahead.h"
#include "tandem/training/progress.h"
#include "tandem/training/row_collector.h"
#include "tandem/training/running_figures.h"
#include "tandem/training/trainer.h"

namespace tandem {
namespace {

void check(const PassPlan& plan, const char* what) {
  if (plan.batch_size < 1)
    throw InvalidArgument(c10::str(what, ": batch_size must be at least 1, got ", plan.batch_size));
  if (plan.steps == 0 || plan.steps < -1)
    throw InvalidArgument(c10::str(what, ": steps must be positive, or -1 for all data, got ", plan.steps));
  if (plan.verbose < 0 || plan.verbose > 2)
    throw InvalidArgument(c10::str(what, ": verbose must be 0, 1 or 2, got ", plan.verbose));
}

// What all processes must be told alike.
distribute::NamedOptions options_of(const PassPlan& plan) {
  distribute::NamedOptions options;
  options.add("steps", plan.steps);
  options.add("number of callbacks", plan.callbacks.size());
  return options;
}

// Of data whose batches are counted by now, or known beforehand.
void warn_of_too_many_steps(int64_t steps, int64_t batches) {
  if (steps > batches) log_warning(c10::str("the data ended after ", batches, " of ", steps, " steps"));
}

}  // namespace

Logs Trainer::evaluate(const PassPlan& plan, TrainedModel& model) {
  require_loss("evaluate");
  check(plan, "evaluate");
  const Use use(*this);
  bind(plan.data);
  check_batches_of("evaluate", plan.data, plan.batch_size, plan.steps);
  reset_states(*parts_.network);
  PassPlan own = plan;
  if (!leads()) own.verbose = 0;
  check_same("evaluate", plan.data, plan.batch_size, options_of(plan));
  begin_pass();
  const CallbackList callbacks(plan.callbacks);
  const AttachedModel attached(callbacks, model);
  return together("evaluate", [&] { return *run_evaluate(own, callbacks, false); });
}

std::optional<Logs> Trainer::run_evaluate(const PassPlan& plan, const CallbackList& callbacks, bool within_fit) {
  auto& execution = *execution_;
  if (plan.data.size() == 0) throw InvalidArgument("evaluate: data must have at least one row, got 0");
  const bool counted = plan.data.size() != data::kUnknownSize;
  RunningFigures figures = running_figures();
  const auto observe = figures.observer();
  data::Loader loader(
      plan.data,
      {.batch_size = plan.batch_size, .max_batches = plan.steps, .random = random_, .own_rows = execution.own_rows()});
  if (leads()) warn_of_too_many_steps(plan.steps, loader.batches());
  report::ProgressBar bar(std::cout, progress_options(loader.batches(), callbacks.draws_progress() ? 0 : plan.verbose));
  if (!within_fit) {
    callbacks.each(&Callback::set_params, CallbackParams{1, loader.batches(), plan.verbose});
    bar.start_epoch(0, 1);
  }
  Logs logs;
  callbacks.each(&Callback::on_test_begin, logs);
  LookAhead batches(loader, execution);
  batches.start_epoch(0);
  int64_t step = 0, rows_done = 0;
  bool whole = true, draw = false;
  while (const auto batch = batches.next()) {
    const bool ends = within_fit && execution.servers_stop();
    const auto wishes = agree({.look = draw, .interrupt = !pass(plan.gate) || ends});
    if (whole = !wishes.interrupt; !whole) break;
    if (!counted) check_rows("evaluate", *batch);
    Logs batch_logs;
    callbacks.each(&Callback::on_test_batch_begin, step, batch_logs);
    const auto result = execution.test_step(*batch, observe);
    figures.losses.add(result);
    rows_done += result.rows;
    ++step;
    draw = (!within_fit && bar.advance(step, rows_done)) || (draw && !wishes.look);
    const bool look = execution.peers() ? wishes.look : draw;
    if (look || !callbacks.empty()) {
      batch_logs = figures.logs();
      if (draw) bar.draw(batch_logs);
      draw = false;
      callbacks.each(&Callback::on_test_batch_end, step - 1, batch_logs);
    }
  }
  if (whole && step == 0) throw_no_batch("evaluate");
  logs = figures.logs();
  if (!within_fit) bar.finish_epoch(logs);
  if (whole && !counted) warn_of_too_many_steps(plan.steps, step);
  callbacks.each(&Callback::on_test_end, logs);
  return whole ? std::optional(logs) : std::nullopt;
}

Tensors Trainer::predict(const PassPlan& plan, TrainedModel& model) {
  check(plan, "predict");
  if (dynamic_cast<const data::PerDeviceSource*>(plan.data.source().get()))
    throw InvalidArgument("predict: data by device has no one order of rows; predict on each part");
  const Use use(*this);
  bind(plan.data);
  check_batches_of("predict", plan.data, plan.batch_size, plan.steps);
  reset_states(*parts_.network);
  PassPlan own = plan;
  if (!leads()) own.verbose = 0;
  check_same("predict", plan.data, plan.batch_size, options_of(plan));
  begin_pass();
  const CallbackList callbacks(plan.callbacks);
  const AttachedModel attached(callbacks, model);
  return together("predict", [&] { return run_predict(own, callbacks); });
}

Tensors Trainer::run_predict(const PassPlan& plan, const CallbackList& callbacks) {
  auto& execution = *execution_;
  const bool counted = plan.data.size() != data::kUnknownSize;
  data::Loader loader(
      plan.data,
      {.batch_size = plan.batch_size, .max_batches = plan.steps, .random = random_, .own_rows = execution.own_rows()});
  if (leads()) warn_of_too_many_steps(plan.steps, loader.batches());
  callbacks.each(&Callback::set_params, CallbackParams{1, loader.batches(), plan.verbose});
  report::ProgressBar bar(std::cout, progress_options(loader.batches(), callbacks.draws_progress() ? 0 : plan.verbose));
  bar.start_epoch(0, 1);
  Logs logs;
  callbacks.each(&Callback::on_predict_begin, logs);

  RowCollector outputs(plan.data.size());
  int64_t step = 0, done = 0;
  LookAhead batches(loader, execution);
  batches.start_epoch(0);
  while (auto batch = batches.next()) {
    if (!counted) check_rows("predict", *batch);
    callbacks.each(&Callback::on_predict_batch_begin, step, logs);
    outputs.add(execution.predict_step(*batch));
    done += batch->all_rows();
    ++step;
    bar.update(step, logs, done);
    callbacks.each(&Callback::on_predict_batch_end, step - 1, logs);
  }
  if (step == 0) throw_no_batch("predict");
  bar.finish_epoch(logs);
  if (!counted) warn_of_too_many_steps(plan.steps, step);
  callbacks.each(&Callback::on_predict_end, logs);
  return outputs.all();
}

}  // namespace tandem
