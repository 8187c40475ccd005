#include "tandem/distribution/replica.h"

#include <ATen/ATen.h>

namespace tandem::distribute {

Replica::Replica(const Program& program, const std::vector<Weight>& others)
    : trainable(program.network->trainable_weights()), fixed(others) {
  trainable.add_to(map);
  for (const auto& w : fixed) {
    const Tensor& master = w.variable().value;
    map[&w.variable()] = at::empty_strided(master.sizes(), master.strides(), master.options());
  }
  for (const auto& w : trainable.weights()) {
    if (w.variable().constraint) constrained.push_back(w);
  }
  if (!program.optimizer) return;
  const auto names = program.optimizer->slots();
  for (std::size_t i = 0; i < names.size(); ++i) {
    slots.push_back(at::full_like(trainable.parameters(), program.optimizer->initial_slot(i)));
  }
}

void Replica::begin_step() {
  loss = 0;
  parts.clear();
  reported.clear();
  updates = 0;
  outputs = {};
}

}  // namespace tandem::distribute
