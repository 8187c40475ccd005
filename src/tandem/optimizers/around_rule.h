#pragma once
#include <memory>
#include <utility>

#include "tandem/optimizers/accumulation.h"
#include "tandem/optimizers/averaging.h"
#include "tandem/optimizers/loss_scaling.h"

namespace tandem {

/// `rule` with what Keras's optimizers do around it by the settings in `options`: scaling of the loss, accumulation of
/// gradients, averages of the weights.
template <class Options>
std::shared_ptr<Optimizer> around_rule(const Options& options, std::shared_ptr<Optimizer> rule) {
  rule = with_loss_scale(std::move(rule), options.loss_scale_factor);
  rule = with_accumulation(std::move(rule), options.gradient_accumulation_steps);
  return with_averages(std::move(rule), {options.use_ema, options.ema_momentum, options.ema_overwrite_frequency});
}

}  // namespace tandem
