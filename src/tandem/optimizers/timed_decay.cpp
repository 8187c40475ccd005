#include "tandem/optimizers/timed_decay.h"

#include <cmath>

#include "tandem/core/config_reader.h"
#include "tandem/optimizers/settings.h"

namespace tandem::schedules {
namespace {

class TimedDecay final : public LearningRateSchedule {
 public:
  TimedDecay(const std::string& class_name, const TimedDecaySettings& settings, TimedDecayFormula formula)
      : class_name_(class_name), settings_(settings), formula_(formula) {
    check_at_least_zero(class_name, "initial_learning_rate", settings.initial_learning_rate);
    check_at_least_one(class_name, "decay_steps", settings.decay_steps);
    check_at_least_zero(class_name, "decay_rate", settings.decay_rate);
  }

  double operator()(int64_t step) const override {
    const float periods = static_cast<float>(step) / static_cast<float>(settings_.decay_steps);
    return formula_(static_cast<float>(settings_.initial_learning_rate), static_cast<float>(settings_.decay_rate),
                    settings_.staircase ? std::floor(periods) : periods);
  }

  std::string class_name() const override { return class_name_; }
  Config get_config() const override {
    return Config::object({{"initial_learning_rate", settings_.initial_learning_rate},
                           {"decay_steps", settings_.decay_steps},
                           {"decay_rate", settings_.decay_rate},
                           {"staircase", settings_.staircase},
                           {"name", class_name_}});
  }

 private:
  std::string class_name_;
  TimedDecaySettings settings_;
  TimedDecayFormula formula_;
};

}  // namespace

std::shared_ptr<LearningRateSchedule> make_timed_decay(const std::string& class_name,
                                                       const TimedDecaySettings& settings, TimedDecayFormula formula) {
  return std::make_shared<TimedDecay>(class_name, settings, formula);
}

TimedDecaySettings timed_decay_settings(const std::string& class_name, const Config& config) {
  ConfigReader reader(class_name, config);
  TimedDecaySettings settings;
  reader.require("initial_learning_rate", settings.initial_learning_rate)
      .require("decay_steps", settings.decay_steps)
      .require("decay_rate", settings.decay_rate)
      .read("staircase", settings.staircase)
      .ignore("name")
      .finish();
  return settings;
}

}  // namespace tandem::schedules
