#include "tandem/optimizers/polynomial_decay.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>

#include "tandem/core/config_reader.h"
#include "tandem/core/error.h"
#include "tandem/optimizers/settings.h"

namespace tandem::schedules {
namespace {

class PolynomialDecaySchedule final : public LearningRateSchedule {
 public:
  PolynomialDecaySchedule(double initial, int64_t decay_steps, const PolynomialDecayOptions& options)
      : initial_(initial), decay_steps_(decay_steps), options_(options) {
    check_at_least_zero("PolynomialDecay", "initial_learning_rate", initial);
    check_at_least_zero("PolynomialDecay", "end_learning_rate", options.end_learning_rate);
    check_at_least_one("PolynomialDecay", "decay_steps", decay_steps);
    if (!(std::isfinite(options.power) && options.power > 0)) {
      throw InvalidArgument(c10::str("PolynomialDecay: power must be a finite number > 0, got ", options.power));
    }
  }

  double operator()(int64_t step) const override {
    double at = static_cast<double>(step), length = static_cast<double>(decay_steps_);
    if (options_.cycle) {
      length *= std::max(1.0, std::ceil(at / length));
    } else {
      at = std::min(at, length);
    }
    return (initial_ - options_.end_learning_rate) * std::pow(1 - at / length, options_.power) +
           options_.end_learning_rate;
  }

  std::string class_name() const override { return "PolynomialDecay"; }
  Config get_config() const override {
    return Config::object({{"initial_learning_rate", initial_},
                           {"decay_steps", decay_steps_},
                           {"end_learning_rate", options_.end_learning_rate},
                           {"power", options_.power},
                           {"cycle", options_.cycle},
                           {"name", "PolynomialDecay"}});
  }

 private:
  double initial_;
  int64_t decay_steps_;
  PolynomialDecayOptions options_;
};

}  // namespace

PolynomialDecay::PolynomialDecay(double initial_learning_rate, int64_t decay_steps, PolynomialDecayOptions options)
    : LearningRate(std::make_shared<PolynomialDecaySchedule>(initial_learning_rate, decay_steps, options)) {}

PolynomialDecay PolynomialDecay::from_config(const Config& config) {
  ConfigReader reader("PolynomialDecay", config);
  double initial = 0;
  int64_t decay_steps = 0;
  PolynomialDecayOptions options;
  reader.require("initial_learning_rate", initial)
      .require("decay_steps", decay_steps)
      .read("end_learning_rate", options.end_learning_rate)
      .read("power", options.power)
      .read("cycle", options.cycle)
      .ignore("name")
      .finish();
  return PolynomialDecay(initial, decay_steps, options);
}

}  // namespace tandem::schedules
