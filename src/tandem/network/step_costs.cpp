#include "tandem/network/step_costs.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <limits>

#include "tandem/core/steady_seconds.h"
#include "tandem/layers/dry_run.h"
#include "tandem/network/divided_graph.h"

namespace tandem {
namespace {

/// Copies of all weights, so that statistics that training moves are not the masters.
WeightMap copies_of(const FlatGraph& flat) {
  WeightMap map;
  const c10::NoGradGuard no_grad;
  for (const auto& step : flat.steps) {
    for (const auto& w : step.layer->weights()) {
      Tensor& copy = map[&w.variable()];
      if (!copy.defined()) copy = w.variable().value.detach().clone().set_requires_grad(w.trainable());
    }
  }
  return map;
}

}  // namespace

std::vector<double> measure_steps(const FlatGraph& flat, const Shapes& inputs, int64_t rows) {
  const WeightMap copies = copies_of(flat);
  const WeightScope weights(copies);
  const c10::AutoGradMode gradients(true);
  const CallContext context{.training = true};
  std::vector<double> shortest(flat.steps.size(), std::numeric_limits<double>::infinity());
  for (int attempt = 0; attempt < 2; ++attempt) {
    std::vector<Tensor> values(flat.slots);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      values[flat.inputs[i]] = dry_inputs({inputs[i].without_batch().with_batch(rows)})[0];
    for (std::size_t i = 0; i < flat.steps.size(); ++i) {
      const auto& step = flat.steps[i];
      Tensors given;
      for (auto slot : step.reads) {
        given.push_back(values[slot].detach());
        if (at::isFloatingType(given[given.size() - 1].scalar_type())) given[given.size() - 1].set_requires_grad(true);
      }
      const PlacedStep placed{step.step, step.layer, step.parts, {}, 0, step.count, {}};
      const double start = steady_seconds();
      const Tensors made = placed.run(given, context);
      std::vector<Tensor> roots, ones;
      for (const auto& one : made) {
        if (!one.requires_grad()) continue;
        roots.push_back(one);
        ones.push_back(at::ones_like(one));
      }
      if (!roots.empty()) torch::autograd::backward(roots, ones);
      shortest[i] = std::min(shortest[i], steady_seconds() - start);
      for (std::size_t j = 0; j < step.count; ++j) values[step.writes + j] = made[static_cast<int64_t>(j)].detach();
    }
  }
  return shortest;
}

}  // namespace tandem
