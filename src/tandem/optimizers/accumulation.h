#pragma once
#include <cstdint>
#include <memory>

#include "tandem/optimizers/optimizer.h"

namespace tandem {

/// `rule` itself where `steps` is 0; else an optimizer that updates by the mean of the gradients of every `steps`
/// batches, which it adds up in a slot "gradient_accumulator", as the setting gradient_accumulation_steps of
/// keras.optimizers: the mean is clipped, schedules count batches, and the rule counts updates. Throws InvalidArgument
/// when steps is 1 or negative.
std::shared_ptr<Optimizer> with_accumulation(std::shared_ptr<Optimizer> rule, int64_t steps);

}  // namespace tandem
