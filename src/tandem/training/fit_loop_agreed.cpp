// FitLoop: what is shown, and whether the training goes on. With several processes all do the same.
#include <c10/util/StringUtil.h>

#include <utility>

#include "tandem/core/activity.h"
#include "tandem/core/log.h"
#include "tandem/training/fit_facts.h"
#include "tandem/training/fit_loop.h"

namespace tandem {

void Trainer::FitLoop::warn_of_loss(double loss, int64_t epoch, int64_t update) {
  if (std::exchange(warned_of_loss_, true) || !trainer_.leads()) return;
  bar_.clear();
  const auto where = circumstances();
  // Out of step updates are the servers', who have been asked.
  if (execution_.out_of_step()) update = execution_.iterations();
  log_warning(c10::str("loss is ", loss, " at step ", step_, " of epoch ", epoch + 1, " (update ", update, ")", where));
}

void Trainer::FitLoop::warn_of_divergence() {
  if (!trainer_.leads()) return;
  bar_.clear();
  const auto where = circumstances();
  log_warning(c10::str("the loss grows without end: ", divergence_.last(), " of the last ", DivergenceCheck::kWindow,
                       " batches, ", divergence_.least(), " at best, at update ", execution_.iterations(), where,
                       "; a smaller rate or fresher gradients may help"));
}

std::string Trainer::FitLoop::circumstances() const {
  if (!execution_.out_of_step()) return "";
  execution_.store();  // their steps have ended
  History until_now;
  until_now.set_facts(facts_between(before_, count_facts(execution_)));
  return c10::str(", at a learning rate of ", trainer_.parts_.optimizer->learning_rate(execution_.iterations()),
                  ", with gradients up to ", until_now.max_staleness(), " updates old");
}

// With several processes each of them sees the others' wishes a step later: all make the figures, or none does.
void Trainer::FitLoop::show_step() {
  draw_ = bar_.advance(step_, rows_done_) || draw_;
  show_ = (plan_.board && plan_.board->step_done()) || show_;
  const bool look = execution_.peers() ? look_ : draw_ || show_;
  if (!look && callbacks_.empty()) return;
  Logs logs = figures_.logs();
  if (std::exchange(draw_, false)) bar_.draw(logs);
  if (std::exchange(show_, false)) plan_.board->show(logs);
  const ActivityScope activity(Activity::callback);
  callbacks_.each(&Callback::on_train_batch_end, step_ - 1, logs);
}

bool Trainer::FitLoop::may_begin() {
  const bool own = !trainer_.pass(plan_.gate);
  end_if(trainer_.agree({.interrupt = own || execution_.servers_stop()}).interrupt, own);
  return !interrupted_;
}

bool Trainer::FitLoop::goes_on(bool passes) {
  if (trainer_.stopping_ || interrupted_) passes = false;
  const bool own = interrupted_ || (passes && !trainer_.pass(plan_.gate));
  const auto wishes = trainer_.agree(
      {.look = draw_ || show_, .stop = trainer_.stopping_, .interrupt = own || execution_.servers_stop()});
  look_ = wishes.look;
  end_if(wishes.interrupt, own);
  if (wishes.stop) trainer_.stopping_ = true;
  return !wishes.stop && !interrupted_;
}

void Trainer::FitLoop::end_if(bool interrupted, bool own) {
  if (auto* crowd = execution_.crowd()) {
    if (interrupted) crowd->stop();
    interrupted = crowd->stopped();
  }
  interrupted_ = interrupted;
  if (!interrupted || own || !trainer_.leads()) return;
  bar_.clear();
  log_warning("fit: training ends after this step: another process of the job was interrupted");
}

}  // namespace tandem
