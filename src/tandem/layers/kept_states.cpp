#include "tandem/layers/kept_states.h"

#include "tandem/layers/layer.h"

namespace tandem {

Tensors KeptStates::find(const Layer& layer, uint64_t generation) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(&layer);
  if (found == entries_.end() || found->second.layer.expired() || found->second.generation != generation) return {};
  return found->second.states;
}

void KeptStates::keep(const Layer& layer, uint64_t generation, Tensors states) {
  const std::lock_guard lock(mutex_);
  entries_[&layer] = {layer.weak_from_this(), generation, std::move(states)};
}

}  // namespace tandem
