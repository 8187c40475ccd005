#include "tandem/optimizers/optimizer.h"

#include "tandem/core/error.h"
#include "tandem/optimizers/settings.h"

namespace tandem {

Optimizer::Optimizer(LearningRate rate, const Clipping& clipping, const std::string& where)
    : rate_(std::move(rate)), clipping_(clipping) {
  check_clipping(where, clipping);
}

void Optimizer::set_learning_rate(double rate) {
  if (rate_.is_schedule()) {
    throw InvalidArgument(class_name() + ": its learning rate follows the schedule " + rate_.schedule()->class_name() +
                          " and cannot be set; give a number as learning_rate to set it later");
  }
  check_at_least_zero(class_name(), "learning_rate", rate);
  rate_ = rate;
}

}  // namespace tandem
