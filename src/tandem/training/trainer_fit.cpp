// Trainer::fit: what is checked before the loop, and what is put right after it, however it ends.
#include <c10/util/StringUtil.h>

#include <utility>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/core/steady_seconds.h"
#include "tandem/data/per_device.h"
#include "tandem/distribution/named_options.h"
#include "tandem/network/stateful.h"
#include "tandem/training/fit_loop.h"
#include "tandem/training/trainer.h"

namespace tandem {
namespace {

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
  if (plan.accumulate < 1) throw InvalidArgument(c10::str("fit: accumulate must be at least 1, got ", plan.accumulate));
}

// What all processes must be told alike.
distribute::NamedOptions options_of(const FitPlan& plan) {
  distribute::NamedOptions options;
  options.add("epochs", plan.epochs);
  options.add("initial_epoch", plan.initial_epoch);
  options.add("steps_per_epoch", plan.steps_per_epoch);
  options.add("accumulate", plan.accumulate);
  options.add("validation rows", plan.validation ? plan.validation->size() : 0);
  options.add("validation_freq", plan.validation_freq);
  options.add("number of callbacks", plan.callbacks.size());
  return options;
}

}  // namespace

History Trainer::fit(const FitPlan& plan, TrainedModel& model) {
  const Use use(*this);
  await_turn();
  if (!parts_.optimizer) throw InvalidArgument("fit: the model must be compiled with a loss and an optimizer first");
  require_loss("fit");
  check(plan);
  try {
    bind(plan.data, plan.gate);
  } catch (const Stopped&) {
    History history;
    history.set_interrupted();
    return history;
  }
  check_batches_of("fit", plan.data, plan.batch_size, -1);
  if (plan.validation)
    check_batches_of("fit: validation", *plan.validation, plan.validation_batch_size, plan.validation_steps);
  reset_states(*parts_.network);
  FitPlan own = plan;
  if (!leads()) own.verbose = 0;
  check_same("fit", plan.data, plan.batch_size, options_of(plan));
  if (plan.validation) {
    distribute::NamedOptions steps;
    steps.add("validation_steps", plan.validation_steps);
    check_same("fit: validation", *plan.validation, plan.validation_batch_size, steps);
  }
  if (plan.accumulate > 1 && execution_->out_of_step())
    throw InvalidArgument("fit: accumulate must be 1 where batches go to whoever is free, each making an update");
  if (execution_->out_of_step() && dynamic_cast<const data::PerDeviceSource*>(plan.data.source().get()))
    throw InvalidArgument("fit: data by device must not be given where batches go to whoever is free");
  begin_pass();
  follow_crowd();
  const Fitting fitting(*this);
  FitLoop loop(*this, own, model);
  try {
    return together("fit", [&] { return loop.run(); });
  } catch (...) {
    ++passes_;  // the next fit begins a pass of its own
    // What was learned before the failure is kept, as far as it is here.
    try {
      if (!execution_->peers()) finish_update();
      execution_->store();
    } catch (const PeerError& lost) {
      log_warning(c10::str("fit: not all that was learned before the failure could be fetched: ", lost.what()));
    }
    throw;
  }
}

void Trainer::await_turn() {
  // Another thread's training holds the lock but for where it is paused. One that this thread is in the middle of would
  // be waited for in vain.
  if (fitting_ && (fitting_thread_ == std::this_thread::get_id() || depth_ > 1))
    throw InvalidArgument(c10::str("fit: model '", parts_.network->name(), "' is being trained already"));
  Outside outside(*this);
  fit_ended_.wait(outside, [this] { return !fitting_; });
}

bool Trainer::pass(StepGate* gate) {
  if (!gate || gate->is_open()) return true;
  Outside outside(*this);
  const double since = steady_seconds();
  outside.unlock();
  const bool goes_on = gate->pass();
  outside.lock();
  held_seconds_ += steady_seconds() - since;
  return goes_on;
}

void Trainer::finish_update() {
  if (!std::exchange(update_open_, false)) return;
  execution_->finish_update(parts_.optimizer->learning_rate(execution_->iterations()));
}

void Trainer::begin_at(int64_t epoch, const std::optional<TrainingProgress>& progress) {
  begins_at_ = epoch;
  passes_ = progress ? progress->passes : epoch;
  execution().set_steps(progress ? progress->steps : execution().iterations());
}

}  // namespace tandem
