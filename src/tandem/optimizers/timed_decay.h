#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "tandem/optimizers/learning_rate.h"

namespace tandem::schedules {

/// What the schedules that count periods of `decay_steps` updates have in common.
struct TimedDecaySettings {
  double initial_learning_rate = 0;
  int64_t decay_steps = 0;
  double decay_rate = 0;
  bool staircase = false;
};

/// The rate after `periods`, whole ones with staircase; in float32, as Keras computes.
using TimedDecayFormula = float (*)(float initial, float decay_rate, float periods);

/// Throws InvalidArgument when a rate is no finite number >= 0 or decay_steps < 1.
std::shared_ptr<LearningRateSchedule> make_timed_decay(const std::string& class_name,
                                                       const TimedDecaySettings& settings, TimedDecayFormula formula);
/// Reads all of a config.
TimedDecaySettings timed_decay_settings(const std::string& class_name, const Config& config);

}  // namespace tandem::schedules
