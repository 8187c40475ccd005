#include "tandem/distribution/gradient_order.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/autograd.h>

#include "tandem/distribution/flat_weights.h"
#include "tandem/layers/dry_run.h"

namespace tandem::distribute {
namespace {

// Backward of the sum of all outputs; weights are noted as they get their gradients.
std::vector<std::size_t> watch_backward(Network& network, const std::vector<Weight>& weights) {
  FlatWeights trial(weights);
  trial.load();
  WeightMap map;
  trial.add_to(map);
  std::vector<std::size_t> order;
  trial.on_gradient([&](std::size_t i) { order.push_back(i); });
  const WeightScope scope(map);
  const CallContext inference;
  const CallScope call(inference);
  const c10::AutoGradMode gradients(true);
  Tensor sum;
  for (const auto& output : network.outputs(network.as_inputs(dry_inputs(network.input_shapes())), inference)) {
    if (!output.requires_grad()) continue;
    sum = sum.defined() ? sum + output.sum() : output.sum();
  }
  if (sum.defined()) torch::autograd::backward({sum}, {});
  return order;
}

}  // namespace

std::vector<std::size_t> gradient_order(Network& network, const std::vector<Weight>& weights) {
  std::vector<std::size_t> order;
  try {
    if (weights.size() > 1) order = watch_backward(network, weights);
  } catch (const std::exception&) {
    // A network of the user's may not take zeros. Any order gives the same numbers; this one suits most networks.
    order.clear();
  }
  std::vector<bool> seen(weights.size());
  for (const auto i : order) seen[i] = true;
  for (std::size_t i = weights.size(); i-- > 0;) {
    if (!seen[i]) order.push_back(i);
  }
  return order;
}

}  // namespace tandem::distribute
