#include "tandem/callbacks/learning_rate_scheduler.h"

#include <c10/util/StringUtil.h>

#include <cmath>

#include "tandem/core/error.h"
#include "tandem/core/python_text.h"

namespace tandem::callbacks {
namespace {

class Scheduler : public Callback {
 public:
  Scheduler(LearningRateScheduler::Schedule schedule, LearningRateSchedulerOptions options)
      : schedule_(std::move(schedule)), options_(options) {}
  std::string class_name() const override { return "LearningRateScheduler"; }

  void on_epoch_begin(int64_t epoch, Logs&) override {
    const double rate = schedule_(epoch, model_->learning_rate());
    if (!std::isfinite(rate) || rate < 0) {
      throw InvalidArgument(c10::str("LearningRateScheduler: the schedule must return a finite rate >= 0, got ", rate,
                                     " in epoch ", epoch));
    }
    model_->set_learning_rate(rate);
    if (options_.verbose > 0) {
      say(c10::str("Epoch ", epoch + 1, ": LearningRateScheduler setting learning rate to ", python_text(rate), "."));
    }
  }
  void on_epoch_end(int64_t, Logs& logs) override { logs.set("learning_rate", model_->learning_rate()); }

 private:
  LearningRateScheduler::Schedule schedule_;
  LearningRateSchedulerOptions options_;
};

}  // namespace

std::shared_ptr<Callback> LearningRateScheduler::make_scheduler(Schedule schedule,
                                                                LearningRateSchedulerOptions options) {
  return std::make_shared<Scheduler>(std::move(schedule), options);
}

}  // namespace tandem::callbacks
