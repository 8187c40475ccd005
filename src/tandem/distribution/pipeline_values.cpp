// A stage of a pipeline: its weights and optimizer state, and those of the whole model.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "tandem/distribution/pipeline_stage.h"
#include "tandem/distribution/slot_view.h"

namespace tandem::distribute {

void PipelineStage::load() {
  const c10::NoGradGuard no_grad;
  if (replica_.gathered()) {
    replica_.shard->load();
  } else {
    replica_.trainable.load();
  }
  for (const auto& w : replica_.fixed) replica_.own(w).copy_(w.variable().value);
}

void PipelineStage::store(bool writes) {
  const c10::NoGradGuard no_grad;
  const auto& own = replica_.trainable;
  const auto is_told = [&](const Weight& w) { return writes && plan_.stages_of(w).front() == stage_; };
  for (std::size_t i = 0; i < own.weights().size(); ++i) {
    const Tensor value =
        replica_.gathered() ? replica_.shard->whole(replica_.shard->parameters(), i) : own.view(own.parameters(), i);
    if (is_told(own.weights()[i])) own.weights()[i].variable().value.copy_(value);
  }
  for (const auto& w : replica_.fixed) {
    if (is_told(w)) w.variable().value.copy_(replica_.own(w));
  }
}

Tensor PipelineStage::slot(std::size_t slot, std::size_t i) const {
  const auto& own = replica_.trainable;
  if (replica_.shard) return replica_.shard->whole(replica_.slots[slot], i);
  return slot_view(*program_.optimizer, replica_.slots[slot], slot, own.weights()[i], own.places()[i].offset);
}

void PipelineStage::take_slot(std::size_t slot, std::size_t i, const Tensor& value) {
  const c10::NoGradGuard no_grad;
  const auto& own = replica_.trainable;
  if (replica_.shard) return replica_.shard->take(replica_.slots[slot], i, value);
  slot_view(*program_.optimizer, replica_.slots[slot], slot, own.weights()[i], own.places()[i].offset).copy_(value);
}

}  // namespace tandem::distribute
