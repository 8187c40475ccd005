#include "tandem/optimizers/weight_optimizer.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "tandem/optimizers/flat_view.h"

namespace tandem {

void WeightOptimizer::update(Tensor& parameter, const Tensor& gradient, std::span<Tensor> slots, int64_t iteration,
                             double rate) const {
  check_slots(slots);
  std::vector<const Tensor*> tensors{&parameter, &gradient};
  for (const Tensor& slot : slots) tensors.push_back(&slot);
  check_same_count(tensors, class_name());
  if (parameter.numel() == 0) return;  // its mean would be NaN
  const c10::AutoGradMode no_gradient(false);
  if (weight_decay() != 0) parameter.mul_(1 - rate * weight_decay());
  apply(iteration + 1, rate, parameter, gradient.to(parameter.scalar_type()).reshape(parameter.sizes()), slots);
}

}  // namespace tandem
