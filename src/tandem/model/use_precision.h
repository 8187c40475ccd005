#pragma once
#include <memory>

#include "tandem/network/network.h"
#include "tandem/optimizers/optimizer.h"

namespace tandem {

/// Gives the layers of `network` that have no DTypePolicy of their own `policy`, and float32 to those that make its
/// outputs: a softmax over 16 bits would round probabilities to three digits.
void use_precision(Network& network, const DTypePolicy& policy);

/// `optimizer`, in a LossScaleOptimizer where a layer of `network` computes in float16 and it does not scale the loss
/// by itself: small gradients would vanish.
std::shared_ptr<Optimizer> scaling_for(const Network& network, std::shared_ptr<Optimizer> optimizer);

}  // namespace tandem
