#include "tandem/optimizers/cosine_decay_restarts.h"

#include <c10/util/StringUtil.h>

#include <cmath>
#include <numbers>

#include "tandem/core/config_reader.h"
#include "tandem/core/error.h"
#include "tandem/optimizers/settings.h"

namespace tandem::schedules {
namespace {

class CosineDecayRestartsSchedule final : public LearningRateSchedule {
 public:
  CosineDecayRestartsSchedule(double initial, int64_t first_decay_steps, const CosineDecayRestartsOptions& options)
      : initial_(initial), first_decay_steps_(first_decay_steps), options_(options) {
    check_at_least_zero("CosineDecayRestarts", "initial_learning_rate", initial);
    check_at_least_one("CosineDecayRestarts", "first_decay_steps", first_decay_steps);
    check_at_least_zero("CosineDecayRestarts", "m_mul", options.m_mul);
    check_at_least_zero("CosineDecayRestarts", "alpha", options.alpha);
    if (!(std::isfinite(options.t_mul) && options.t_mul >= 1)) {
      throw InvalidArgument(c10::str("CosineDecayRestarts: t_mul must be a finite number >= 1, got ", options.t_mul));
    }
  }

  double operator()(int64_t step) const override {
    const auto t_mul = static_cast<float>(options_.t_mul), alpha = static_cast<float>(options_.alpha);
    float done = static_cast<float>(step) / static_cast<float>(first_decay_steps_), period = 0;
    if (t_mul == 1) {
      period = std::floor(done);
      done -= period;
    } else {
      // In float32 and in Keras's order: the last bit of the quotient decides whether a period has just begun.
      period = std::floor(std::log(1 - done * (1 - t_mul)) / std::log(t_mul));
      const float length = std::pow(t_mul, period), before = (1 - length) / (1 - t_mul);
      done = (done - before) / length;
    }
    const float height = std::pow(static_cast<float>(options_.m_mul), period);
    const float wave = 0.5f * height * (1 + std::cos(std::numbers::pi_v<float> * done));
    return static_cast<float>(initial_) * ((1 - alpha) * wave + alpha);
  }

  std::string class_name() const override { return "CosineDecayRestarts"; }
  Config get_config() const override {
    return Config::object({{"initial_learning_rate", initial_},
                           {"first_decay_steps", first_decay_steps_},
                           {"t_mul", options_.t_mul},
                           {"m_mul", options_.m_mul},
                           {"alpha", options_.alpha},
                           {"name", "SGDRDecay"}});
  }

 private:
  double initial_;
  int64_t first_decay_steps_;
  CosineDecayRestartsOptions options_;
};

}  // namespace

CosineDecayRestarts::CosineDecayRestarts(double initial_learning_rate, int64_t first_decay_steps,
                                         CosineDecayRestartsOptions options)
    : LearningRate(std::make_shared<CosineDecayRestartsSchedule>(initial_learning_rate, first_decay_steps, options)) {}

CosineDecayRestarts CosineDecayRestarts::from_config(const Config& config) {
  ConfigReader reader("CosineDecayRestarts", config);
  double initial = 0;
  int64_t first_decay_steps = 0;
  CosineDecayRestartsOptions options;
  reader.require("initial_learning_rate", initial)
      .require("first_decay_steps", first_decay_steps)
      .read("t_mul", options.t_mul)
      .read("m_mul", options.m_mul)
      .read("alpha", options.alpha)
      .ignore("name")
      .finish();
  return CosineDecayRestarts(initial, first_decay_steps, options);
}

}  // namespace tandem::schedules
