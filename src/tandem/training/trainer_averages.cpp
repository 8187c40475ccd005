// Trainer: the averages of the weights that an optimizer keeps.
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/training/trainer.h"

namespace tandem {

void Trainer::exchange_averages(bool weights_too) {
  const auto slot = parts_.optimizer ? parts_.optimizer->weight_average_slot() : std::nullopt;
  if (!slot) {
    throw InvalidArgument(c10::str("averages of the weights: the optimizer of model '", parts_.network->name(),
                                   "' must be made with use_ema to keep some"));
  }
  if (!has_trained()) {
    throw InvalidArgument(
        c10::str("averages of the weights: model '", parts_.network->name(), "' must have been trained to have some"));
  }
  execution_->store();
  const c10::NoGradGuard no_grad;
  auto state = execution_->optimizer_state();
  const auto slot_name = parts_.optimizer->slots()[*slot];
  const auto weights = parts_.network->trainable_weights();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::string name = c10::str(slot_name, "/", i);
    const Tensor average = state.tensor(name), weight = weights[i].variable().value;
    state.set(name, weight.clone());
    if (weights_too) weight.copy_(average);
  }
  execution_->set_optimizer_state(state);
  execution_->load();
}

void Trainer::take_averages() {
  const auto slot = parts_.optimizer->weight_average_slot();
  if (!slot || execution_->iterations() == 0) return;
  execution_->store();
  c10::NoGradGuard no_grad;
  const auto state = execution_->optimizer_state();
  const auto name = parts_.optimizer->slots()[*slot];
  const auto weights = parts_.network->trainable_weights();
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i].variable().value.copy_(state.tensor(c10::str(name, "/", i)));
  execution_->load();
}

}  // namespace tandem
