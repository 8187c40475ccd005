#include "tandem/optimizers/configured_optimizer.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/optimizers/settings.h"

namespace tandem {

ConfiguredOptimizer::ConfiguredOptimizer(CommonSettings settings)
    : Optimizer(settings.learning_rate, settings.clipping, settings.class_name), settings_(std::move(settings)) {
  check_learning_rate(settings_.class_name, settings_.learning_rate);
  check_at_least_zero(settings_.class_name, "weight_decay", settings_.weight_decay);
}

void ConfiguredOptimizer::check_slots(std::span<Tensor> slots) const {
  if (slots.size() != settings_.slots.size())
    throw InternalError(c10::str(class_name(), ": must be given the slots that it names, got ", slots.size()));
}

Config ConfiguredOptimizer::get_config() const {
  return optimizer_config(settings_.name, rate(), settings_.weight_decay, clipping());
}

}  // namespace tandem
