#include "tandem/optimizers/exponential_decay.h"

#include <cmath>

#include "tandem/optimizers/timed_decay.h"

namespace tandem::schedules {
namespace {

float exponential_rate(float initial, float decay_rate, float periods) {
  return initial * std::pow(decay_rate, periods);
}

}  // namespace

ExponentialDecay::ExponentialDecay(double initial_learning_rate, int64_t decay_steps, double decay_rate,
                                   ExponentialDecayOptions options)
    : LearningRate(make_timed_decay(
          "ExponentialDecay", {initial_learning_rate, decay_steps, decay_rate, options.staircase}, exponential_rate)) {}

ExponentialDecay ExponentialDecay::from_config(const Config& config) {
  const TimedDecaySettings settings = timed_decay_settings("ExponentialDecay", config);
  return ExponentialDecay(settings.initial_learning_rate, settings.decay_steps, settings.decay_rate,
                          {.staircase = settings.staircase});
}

}  // namespace tandem::schedules
