#include "tandem/model/use_precision.h"

#include <algorithm>

#include "tandem/model/network_of.h"
#include "tandem/optimizers/loss_scale_optimizer.h"

namespace tandem {
namespace {

bool in_float16(const Layer& layer) {
  const auto children = layer.children();
  return layer.dtype_policy() == DTypePolicy("mixed_float16") ||
         std::any_of(children.begin(), children.end(), [](const auto& child) { return in_float16(*child); });
}

void keep_float32(Layer& layer) {
  if (const auto* network = network_of(layer)) {
    for (const auto& last : network->output_layers()) keep_float32(*last);
  } else {
    layer.default_dtype_policy("float32");
  }
}

}  // namespace

void use_precision(Network& network, const DTypePolicy& policy) {
  network.default_dtype_policy(policy);
  keep_float32(network);
}

std::shared_ptr<Optimizer> scaling_for(const Network& network, std::shared_ptr<Optimizer> optimizer) {
  if (!in_float16(network) || optimizer->loss_scale(optimizer->initial_numbers()) != 1) return optimizer;
  return optimizers::LossScaleOptimizer(Handle<Optimizer>(std::move(optimizer))).get();
}

}  // namespace tandem
