// Trainer::evaluate and predict: one pass over data without an update.
#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <iostream>

#include "tandem/callbacks/callback_list.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/data/loader.h"
#include "tandem/data/per_device.h"
#include "tandem/network/stateful.h"
#include "tandem/report/progress_bar.h"
#include "tandem/training/look_ahead.h"
#include "tandem/training/progress.h"
#include "tandem/training/running_figures.h"
#include "tandem/training/same_data.h"
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
std::string describe(const PassPlan& plan) {
  return c10::str("batches of ", plan.data.batch_size() ? plan.data.batch_size() : plan.batch_size, ", steps ",
                  plan.steps, ", ", plan.callbacks.size(), " callbacks");
}

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
  if (auto* peers = execution_->peers()) check_same_data(*peers, "evaluate", plan.data, describe(plan));
  begin_pass();
  const CallbackList callbacks(plan.callbacks);
  const AttachedModel attached(callbacks, model);
  return together("evaluate", [&] { return *run_evaluate(own, callbacks, false); });
}

std::optional<Logs> Trainer::run_evaluate(const PassPlan& plan, const CallbackList& callbacks, bool within_fit) {
  auto& execution = *execution_;
  if (plan.data.size() == 0) throw InvalidArgument("evaluate: data must have at least one row, got 0");
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
    const auto wishes = agree({.look = draw, .interrupt = !pass(plan.gate)});
    if (whole = !wishes.interrupt; !whole) break;
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
  logs = figures.logs();
  if (!within_fit) bar.finish_epoch(logs);
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
  if (auto* peers = execution_->peers()) check_same_data(*peers, "predict", plan.data, describe(plan));
  begin_pass();
  const CallbackList callbacks(plan.callbacks);
  const AttachedModel attached(callbacks, model);
  return together("predict", [&] { return run_predict(own, callbacks); });
}

Tensors Trainer::run_predict(const PassPlan& plan, const CallbackList& callbacks) {
  auto& execution = *execution_;
  data::Loader loader(
      plan.data,
      {.batch_size = plan.batch_size, .max_batches = plan.steps, .random = random_, .own_rows = execution.own_rows()});
  if (leads()) warn_of_too_many_steps(plan.steps, loader.batches());
  callbacks.each(&Callback::set_params, CallbackParams{1, loader.batches(), plan.verbose});
  report::ProgressBar bar(std::cout, progress_options(loader.batches(), callbacks.draws_progress() ? 0 : plan.verbose));
  bar.start_epoch(0, 1);
  Logs logs;
  callbacks.each(&Callback::on_predict_begin, logs);

  Tensors outputs;  // whole, allocated when the first batch shows their shapes
  const int64_t rows = plan.data.size();
  int64_t step = 0, done = 0;
  LookAhead batches(loader, execution);
  batches.start_epoch(0);
  while (auto batch = batches.next()) {
    callbacks.each(&Callback::on_predict_batch_begin, step, logs);
    const Tensors part = execution.predict_step(*batch);
    for (int64_t i = 0; i < part.size(); ++i) {
      if (step == 0) {
        auto sizes = part[i].sizes().vec();
        sizes[0] = rows;
        outputs.push_back(at::empty(sizes, part[i].options()));
      }
      outputs[i].slice(0, done, done + batch->all_rows()).copy_(part[i]);
    }
    done += batch->all_rows();
    ++step;
    bar.update(step, logs, done);
    callbacks.each(&Callback::on_predict_batch_end, step - 1, logs);
  }
  bar.finish_epoch(logs);
  callbacks.each(&Callback::on_predict_end, logs);
  // With a remainder dropped fewer rows were served than there are.
  if (done != rows) {
    for (auto& output : outputs) output = output.slice(0, 0, done).contiguous();
  }
  return outputs;
}

}  // namespace tandem
