#include "tandem/optimizers/inverse_time_decay.h"

#include "tandem/optimizers/timed_decay.h"

namespace tandem::schedules {
namespace {

float inverse_time_rate(float initial, float decay_rate, float periods) { return initial / (1 + decay_rate * periods); }

}  // namespace

InverseTimeDecay::InverseTimeDecay(double initial_learning_rate, int64_t decay_steps, double decay_rate,
                                   InverseTimeDecayOptions options)
    : LearningRate(make_timed_decay(
          "InverseTimeDecay", {initial_learning_rate, decay_steps, decay_rate, options.staircase}, inverse_time_rate)) {
}

InverseTimeDecay InverseTimeDecay::from_config(const Config& config) {
  const TimedDecaySettings settings = timed_decay_settings("InverseTimeDecay", config);
  return InverseTimeDecay(settings.initial_learning_rate, settings.decay_steps, settings.decay_rate,
                          {.staircase = settings.staircase});
}

}  // namespace tandem::schedules
