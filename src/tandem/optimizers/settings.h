#pragma once
#include <cstdint>
#include <string>

#include "tandem/core/config.h"
#include "tandem/core/config_reader.h"
#include "tandem/optimizers/clipping.h"
#include "tandem/optimizers/learning_rate.h"

namespace tandem {

/// Each throws InvalidArgument "<where>: <name> must ..., got <value>"; NaN fails all of them.
void check_at_least_zero(const std::string& where, const std::string& name, double value);
void check_in_unit_interval(const std::string& where, const std::string& name, double value);
void check_below_one(const std::string& where, const std::string& name, double value);
void check_at_least_one(const std::string& where, const std::string& name, int64_t value);
/// A fixed rate must be at least zero; a schedule has checked its own.
void check_learning_rate(const std::string& where, const LearningRate& rate);

/// What every optimizer of Keras writes in front of its own settings; those that no optimizer here has are null or the
/// default. A bound or `weight_decay` of 0 is null. A fixed rate is written as the float32 that it is in Keras.
Config optimizer_config(const std::string& name, const LearningRate& rate, double weight_decay,
                        const Clipping& clipping);

/// Reads what all optimizers of Keras have.
template <class Options>
void read_common(ConfigReader& reader, Options& options) {
  reader.ignore("name")
      .read("learning_rate", options.learning_rate)
      .read("weight_decay", options.weight_decay)
      .read("clipnorm", options.clipnorm)
      .read("clipvalue", options.clipvalue)
      .read("global_clipnorm", options.global_clipnorm)
      .read("use_ema", options.use_ema)
      .read("ema_momentum", options.ema_momentum)
      .read("ema_overwrite_frequency", options.ema_overwrite_frequency)
      .read("loss_scale_factor", options.loss_scale_factor)
      .read("gradient_accumulation_steps", options.gradient_accumulation_steps)
      .refuse("decay", 0)  // Keras 2 wrote these three
      .ignore("jit_compile")
      .ignore("is_legacy_optimizer");
}

}  // namespace tandem
