#include "tandem/optimizers/wrapped_optimizer.h"

#include "tandem/optimizers/settings.h"

namespace tandem {

Config WrappedOptimizer::get_config() const {
  return rule_->get_config().set("learning_rate", optimizer_config("", rate(), 0, {}).at("learning_rate"));
}

}  // namespace tandem
