// Replicated: what goes between replicas and masters, and what is saved.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "tandem/distribution/replicated.h"
#include "tandem/distribution/slot_view.h"

namespace tandem::distribute {

// LibTorch counts the changes in place of each tensor.
std::vector<uint32_t> Replicated::master_versions() const {
  std::vector<uint32_t> versions;
  versions.reserve(masters_.size());
  for (const auto& w : masters_) versions.push_back(w.variable().value._version());
  return versions;
}

std::vector<int64_t> Replicated::slot_offsets() const {
  const auto& own = replicas_.front()->trainable;
  const auto behind = places_behind(own, weights_.tables);
  std::vector<int64_t> offsets;
  std::size_t next = 0, next_table = 0;
  for (const auto& w : program_.network->trainable_weights()) {
    const bool table = next_table < behind.size() && weights_.tables[next_table] == w;
    offsets.push_back(table ? behind[next_table++].offset : own.places()[next++].offset);
  }
  return offsets;
}

void Replicated::synchronize() {
  for (const auto& stream : streams_) stream.synchronize();
}

Tensor Replicated::on_host(std::size_t r, const Weight& w) {
  const StreamScope stream(streams_[r]);
  return replicas_[r]->own(w).to(at::kCPU);
}

void Replicated::set_own(std::size_t r, const Weight& w, const Tensor& value) {
  const StreamScope stream(streams_[r]);
  replicas_[r]->own(w).copy_(value);
}

void Replicated::load() {
  settle();
  if (!ahead_ && loaded_versions_ == master_versions()) return;
  ahead_ = false;
  given_weights_ = true;
  run([&](int64_t rank, Replica& replica) {
    replica.load();
    if (how_.servers) load_servers(static_cast<std::size_t>(rank));
  });
  loaded_versions_ = master_versions();
  if (how_.servers) take_what_servers_saved();
  show_statistics();
}

void Replicated::store() {
  // The masters may belong to others too (a parallel model's template): what is not newer must not replace theirs.
  if (!ahead_) return;
  ahead_ = false;
  settle();
  if (how_.where == UpdatePlace::alone) average_parameters();
  average_servers_in_step();
  c10::NoGradGuard no_grad;
  if (how_.zero_stage == 3) {
    store_shards();
  } else {
    const StreamScope stream(streams_.front());
    replicas_.front()->trainable.store();
  }
  average_statistics();
  bring_tables();
  loaded_versions_ = master_versions();
}

StateDict Replicated::optimizer_state() {
  settle();
  StateDict state;
  state.set("iterations", iterations_);
  state.set("steps", steps_);
  if (!program_.optimizer) return state;
  if (divided()) {
    state_of_shards(state);
    return state;
  }
  auto& replica = *replicas_.front();
  if (how_.servers) read_state_of_servers();
  const StreamScope stream(streams_.front());
  for (std::size_t i = 0; i < replica.numbers.size(); ++i) state.set(c10::str("number/", i), replica.numbers[i]);
  const auto names = program_.optimizer->slots();
  const auto weights = program_.network->trainable_weights();
  const auto offsets = slot_offsets();
  for (std::size_t s = 0; s < names.size(); ++s) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const Tensor slot = slot_view(*program_.optimizer, replica.slots[s], s, weights[i], offsets[i]);
      state.set(c10::str(names[s], "/", i), slot.clone(at::MemoryFormat::Contiguous).to(at::kCPU));
    }
  }
  if (how_.servers) replica.slots.clear();
  return state;
}

void Replicated::set_optimizer_state(const StateDict& state) {
  settle();
  iterations_ = state.integer("iterations");
  steps_ = state.contains("steps") ? state.integer("steps") : iterations_;
  given_state_ = true;
  if (divided()) return set_state_of_shards(state);
  const auto names = program_.optimizer->slots();
  if (how_.servers) read_state_of_servers();
  const auto weights = program_.network->trainable_weights();
  const auto offsets = slot_offsets();
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    const StreamScope stream(streams_[r]);
    auto& replica = *replicas_[r];
    for (std::size_t i = 0; i < replica.numbers.size(); ++i) replica.numbers[i] = state.number(c10::str("number/", i));
    for (std::size_t s = 0; s < replica.slots.size(); ++s) {
      for (std::size_t i = 0; i < weights.size(); ++i) {
        slot_view(*program_.optimizer, replica.slots[s], s, weights[i], offsets[i])
            .copy_(state.tensor(c10::str(names[s], "/", i)));
      }
    }
  }
  if (how_.servers) write_state_to_servers();
}

}  // namespace tandem::distribute
