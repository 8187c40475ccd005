#include "tandem/optimizers/cosine_decay.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tandem/core/config_reader.h"
#include "tandem/core/error.h"
#include "tandem/optimizers/settings.h"

namespace tandem::schedules {
namespace {

class CosineDecaySchedule final : public LearningRateSchedule {
 public:
  CosineDecaySchedule(double initial, int64_t decay_steps, const CosineDecayOptions& options)
      : initial_(initial), decay_steps_(decay_steps), options_(options) {
    check_at_least_zero("CosineDecay", "initial_learning_rate", initial);
    check_at_least_one("CosineDecay", "decay_steps", decay_steps);
    check_at_least_zero("CosineDecay", "alpha", options.alpha);
    if (options.warmup_target) check_at_least_zero("CosineDecay", "warmup_target", *options.warmup_target);
    if (options.warmup_steps < 0)
      throw InvalidArgument(c10::str("CosineDecay: warmup_steps must be at least 0, got ", options.warmup_steps));
  }

  double operator()(int64_t step) const override {
    const auto initial = static_cast<float>(initial_), length = static_cast<float>(decay_steps_);
    auto at = static_cast<float>(step);
    if (!options_.warmup_target) return fall(initial, std::min(at, length) / length);

    const auto target = static_cast<float>(*options_.warmup_target);
    const auto warmup = static_cast<float>(options_.warmup_steps);
    at = std::min(at, length + warmup);
    if (at < warmup) return (target - initial) * (at / warmup) + initial;
    return fall(target, (at - warmup) / length);
  }

  std::string class_name() const override { return "CosineDecay"; }
  Config get_config() const override {
    return Config::object({{"initial_learning_rate", initial_},
                           {"decay_steps", decay_steps_},
                           {"alpha", options_.alpha},
                           {"name", "CosineDecay"},
                           {"warmup_target", options_.warmup_target ? Config(*options_.warmup_target) : Config()},
                           {"warmup_steps", options_.warmup_steps}});
  }

 private:
  float fall(float from, float done) const {
    const float wave = 0.5f * (1 + std::cos(std::numbers::pi_v<float> * done));
    return from * (static_cast<float>(1 - options_.alpha) * wave + static_cast<float>(options_.alpha));
  }

  double initial_;
  int64_t decay_steps_;
  CosineDecayOptions options_;
};

}  // namespace

CosineDecay::CosineDecay(double initial_learning_rate, int64_t decay_steps, CosineDecayOptions options)
    : LearningRate(std::make_shared<CosineDecaySchedule>(initial_learning_rate, decay_steps, options)) {}

CosineDecay CosineDecay::from_config(const Config& config) {
  ConfigReader reader("CosineDecay", config);
  double initial = 0;
  int64_t decay_steps = 0;
  CosineDecayOptions options;
  reader.require("initial_learning_rate", initial)
      .require("decay_steps", decay_steps)
      .read("alpha", options.alpha)
      .read("warmup_target", options.warmup_target)
      .read("warmup_steps", options.warmup_steps)
      .ignore("name")
      .finish();
  return CosineDecay(initial, decay_steps, options);
}

}  // namespace tandem::schedules
