#include "tandem/optimizers/settings.h"

#include <c10/util/StringUtil.h>

#include <cmath>

#include "tandem/core/error.h"

namespace tandem {
namespace {

Config null_if_zero(double value) { return value == 0 ? Config() : Config(value); }

}  // namespace

void check_at_least_zero(const std::string& where, const std::string& name, double value) {
  if (std::isfinite(value) && value >= 0) return;
  throw InvalidArgument(c10::str(where, ": ", name, " must be a finite number >= 0, got ", value));
}

void check_in_unit_interval(const std::string& where, const std::string& name, double value) {
  if (value >= 0 && value <= 1) return;
  throw InvalidArgument(c10::str(where, ": ", name, " must lie in [0, 1], got ", value));
}

void check_below_one(const std::string& where, const std::string& name, double value) {
  if (value >= 0 && value < 1) return;
  throw InvalidArgument(c10::str(where, ": ", name, " must lie in [0, 1), got ", value));
}

void check_at_least_one(const std::string& where, const std::string& name, int64_t value) {
  if (value >= 1) return;
  throw InvalidArgument(c10::str(where, ": ", name, " must be at least 1, got ", value));
}

void check_learning_rate(const std::string& where, const LearningRate& rate) {
  if (!rate.is_schedule()) check_at_least_zero(where, "learning_rate", rate.at(0));
}

Config optimizer_config(const std::string& name, const LearningRate& rate, double weight_decay,
                        const Clipping& clipping) {
  Config rate_config;
  if (rate.is_schedule()) {
    rate_config = Config::object({{"module", "keras.optimizers.schedules"},
                                  {"class_name", rate.schedule()->class_name()},
                                  {"config", rate.schedule()->get_config()},
                                  {"registered_name", Config()}});
  } else {
    rate_config = static_cast<double>(static_cast<float>(rate.at(0)));
  }
  return Config::object({{"name", name},
                         {"learning_rate", rate_config},
                         {"weight_decay", null_if_zero(weight_decay)},
                         {"clipnorm", null_if_zero(clipping.clipnorm)},
                         {"global_clipnorm", null_if_zero(clipping.global_clipnorm)},
                         {"clipvalue", null_if_zero(clipping.clipvalue)},
                         {"use_ema", false},
                         {"ema_momentum", 0.99},
                         {"ema_overwrite_frequency", Config()},
                         {"loss_scale_factor", Config()},
                         {"gradient_accumulation_steps", Config()}});
}

}  // namespace tandem
