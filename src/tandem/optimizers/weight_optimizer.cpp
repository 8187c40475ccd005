#include "tandem/optimizers/weight_optimizer.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/optimizers/flat_view.h"
#include "tandem/optimizers/settings.h"

namespace tandem {

WeightOptimizer::WeightOptimizer(FlatSettings settings)
    : Optimizer(settings.learning_rate, settings.clipping, settings.class_name), settings_(std::move(settings)) {
  check_learning_rate(settings_.class_name, settings_.learning_rate);
  check_at_least_zero(settings_.class_name, "weight_decay", settings_.weight_decay);
}

void WeightOptimizer::update(Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots, int64_t iteration,
                             double rate) const {
  if (slots.size() != settings_.slots.size()) {
    throw InternalError(c10::str(class_name(), ": must be given the slots that it names, got ", slots.size()));
  }
  std::vector<const Tensor*> tensors{&parameter, &gradient};
  for (const Tensor& slot : slots) tensors.push_back(&slot);
  check_same_count(tensors, settings_.class_name);
  if (parameter.numel() == 0) return;  // its mean would be NaN
  const c10::AutoGradMode no_gradient(false);
  if (settings_.weight_decay != 0) parameter.mul_(1 - rate * settings_.weight_decay);
  apply(iteration + 1, rate, parameter, gradient.to(parameter.scalar_type()).reshape(parameter.sizes()), slots);
}

Config WeightOptimizer::get_config() const {
  return optimizer_config(settings_.name, rate(), settings_.weight_decay, clipping());
}

}  // namespace tandem
