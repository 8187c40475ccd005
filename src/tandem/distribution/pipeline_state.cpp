// Pipelines: what goes between stages and masters, and what is saved.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/distribution/pipeline_execution.h"
#include "tandem/distribution/slot_view.h"

namespace tandem::distribute {

// LibTorch counts the changes in place of each tensor.
std::vector<uint32_t> PipelineExecution::master_versions() const {
  std::vector<uint32_t> versions;
  for (const auto& w : masters_) versions.push_back(w.variable().value._version());
  return versions;
}

void PipelineExecution::load() {
  if (!ahead_ && loaded_versions_ == master_versions()) return;
  ahead_ = false;
  given_weights_ = true;
  const c10::NoGradGuard no_grad;
  for (auto& stage : stages_) {
    auto& replica = stage->replica();
    replica.trainable.load();
    for (const auto& w : replica.fixed) replica.own(w).copy_(w.variable().value);
  }
  loaded_versions_ = master_versions();
}

void PipelineExecution::store() {
  if (!ahead_) return;
  ahead_ = false;
  const c10::NoGradGuard no_grad;
  for (auto& stage : stages_) {
    auto& replica = stage->replica();
    replica.trainable.store();  // stages that share a weight, and replicas, have the same
    for (const auto& w : replica.fixed) w.variable().value.copy_(replica.own(w));
  }
  if (peers_ && !parted_) {
    share_weights();
    share_slots();
  }
  loaded_versions_ = master_versions();
}

void PipelineExecution::put_slots(StateDict& state) {
  std::vector<std::vector<Tensor>> slots(stages_.size());
  run([&](int64_t device, PipelineStage& stage) { slots[static_cast<std::size_t>(device)] = stage.whole_slots(); });
  const auto& numbers = stages_.front()->replica().numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i) state.set(c10::str("number/", i), numbers[i]);
  const auto names = program_.optimizer->slots();
  for (std::size_t d = 0; d < stages_.size(); ++d) {
    const auto& trainable = stages_[d]->replica().trainable;
    const auto& own = trainable.weights();
    for (std::size_t i = 0; i < own.size(); ++i) {
      const auto number = std::find(trained_.begin(), trained_.end(), own[i]) - trained_.begin();
      for (std::size_t s = 0; s < names.size(); ++s) {
        const auto name = c10::str(names[s], "/", number);
        if (state.contains(name)) continue;  // of another replica, or of a stage that shares it
        state.set(name, slot_view(*program_.optimizer, slots[d][s], s, own[i], trainable.places()[i].offset)
                            .clone(at::MemoryFormat::Contiguous));
      }
    }
  }
}

void PipelineExecution::take_slots(const StateDict& state) {
  const auto names = program_.optimizer->slots();
  for (auto& stage : stages_) {
    auto& replica = stage->replica();
    const auto& own = replica.trainable.weights();
    for (std::size_t i = 0; i < replica.numbers.size(); ++i) replica.numbers[i] = state.number(c10::str("number/", i));
    std::vector<Tensor> slots;
    for (std::size_t s = 0; s < names.size(); ++s) {
      const Tensor& slot = slots.emplace_back(at::zeros_like(replica.trainable.parameters()));
      for (std::size_t i = 0; i < own.size(); ++i) {
        const auto number = std::find(trained_.begin(), trained_.end(), own[i]) - trained_.begin();
        slot_view(*program_.optimizer, slot, s, own[i], replica.trainable.places()[i].offset)
            .copy_(state.tensor(c10::str(names[s], "/", number)));
      }
    }
    stage->take_slots(slots);
  }
  if (peers_) all_slots_ = state;
}

StateDict PipelineExecution::optimizer_state() {
  StateDict state = all_slots_.value_or(StateDict());
  state.set("iterations", iterations_);
  state.set("steps", steps_);
  if (program_.optimizer && !all_slots_) put_slots(state);
  return state;
}

void PipelineExecution::set_optimizer_state(const StateDict& state) {
  iterations_ = state.integer("iterations");
  steps_ = state.contains("steps") ? state.integer("steps") : iterations_;
  given_state_ = true;
  take_slots(state);
}

}  // namespace tandem::distribute
