// Pipelines: what goes between stages and masters, and what is saved.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/distribution/pipeline_execution.h"

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
  for (auto& stage : stages_) stage->load();
  loaded_versions_ = master_versions();
}

void PipelineExecution::store() {
  if (!ahead_) return;
  ahead_ = false;
  if (parted_ && settings_.zero == 3) return;  // other processes have the rest
  run([&](int64_t device, PipelineStage& stage) { stage.store(speaks_for_stage(device)); });
  if (peers_ && !parted_) {
    share_weights();
    share_slots();
  }
  loaded_versions_ = master_versions();
}

void PipelineExecution::put_slots(StateDict& state) {
  const auto names = program_.optimizer->slots();
  std::vector<StateDict> own(stages_.size());
  run([&](int64_t device, PipelineStage& stage) {
    const auto& weights = stage.replica().trainable.weights();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t s = 0; s < names.size(); ++s) {
        const Tensor slot = stage.slot(s, i);
        if (speaks_for_stage(device))
          own[static_cast<std::size_t>(device)].set(slot_name(names[s], weights[i]),
                                                    slot.clone(at::MemoryFormat::Contiguous));
      }
    }
  });
  const auto& numbers = stages_.front()->replica().numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i) state.set(c10::str("number/", i), numbers[i]);
  for (const auto& slots : own) {
    for (const auto& [name, slot] : slots) {
      if (!state.contains(name)) state.set(name, slot);  // else of a stage that shares the weight
    }
  }
}

void PipelineExecution::take_slots(const StateDict& state) {
  const auto names = program_.optimizer->slots();
  for (auto& stage : stages_) {
    auto& replica = stage->replica();
    const auto& own = replica.trainable.weights();
    for (std::size_t i = 0; i < replica.numbers.size(); ++i) replica.numbers[i] = state.number(c10::str("number/", i));
    for (std::size_t s = 0; s < names.size(); ++s) {
      for (std::size_t i = 0; i < own.size(); ++i) stage->take_slot(s, i, state.tensor(slot_name(names[s], own[i])));
    }
  }
  if (peers_) all_slots_ = state;
}

std::string PipelineExecution::slot_name(const std::string& slot, const Weight& weight) const {
  return c10::str(slot, "/", std::find(trained_.begin(), trained_.end(), weight) - trained_.begin());
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
