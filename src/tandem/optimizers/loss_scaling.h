#pragma once
#include <memory>

#include "tandem/optimizers/optimizer.h"

namespace tandem {

/// `rule` itself where `factor` is 0; else one whose gradients are computed of `factor` times the loss and divided by
/// it before anything else, so that small ones do not vanish in 16 bits: the setting loss_scale_factor of
/// keras.optimizers. Throws InvalidArgument when factor is no finite number >= 0.
std::shared_ptr<Optimizer> with_loss_scale(std::shared_ptr<Optimizer> rule, double factor);

}  // namespace tandem
