// Replicated: ranks that have the model, or what goes with it, in parts (ZeRO).
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/distribution/replicated.h"

namespace tandem::distribute {

Tensor Replicated::whole(std::size_t i, const ShardOf& shard_of) {
  const auto& master = weights_.trained[i].variable().value;
  Tensor whole = at::empty_strided(master.sizes(), master.strides(), master.options());
  const Tensor flat = in_memory_order(whole);
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    const StreamScope stream(streams_[r]);
    auto& replica = replicas_[r];
    const Tensor part = replica->shard->part(shard_of(*replica), i);
    flat.narrow(0, replica->shard->layout().firsts()[i], part.numel()).copy_(part);
  }
  if (!peers_) return whole;
  const auto& front = *replicas_.front();
  const auto& place = front.trainable.places()[i];
  for (const auto& piece : front.shard->layout().pieces(place.offset, place.offset + place.count)) {
    Tensor part = flat.narrow(0, piece.begin - place.offset, piece.size());
    peers_->take_from(part, piece.owner / ranks());
  }
  return whole;
}

void Replicated::spread(std::size_t i, const Tensor& whole, const ShardOf& shard_of) {
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    const StreamScope stream(streams_[r]);
    auto& replica = *replicas_[r];
    replica.shard->take(shard_of(replica), i, whole);
  }
}

void Replicated::store_shards() {
  if (parted_) return;  // other processes have the rest
  for (std::size_t i = 0; i < weights_.trained.size(); ++i) {
    weights_.trained[i].variable().value.copy_(
        whole(i, [](Replica& replica) -> Tensor& { return replica.shard->parameters(); }));
  }
}

void Replicated::state_of_shards(StateDict& state) {
  if (parted_) throw PeerError("optimizer state: other processes have parts of it, and are gone");
  const c10::NoGradGuard no_grad;
  auto& numbers = replicas_.front()->numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i) state.set(c10::str("number/", i), numbers[i]);
  const auto names = program_.optimizer->slots();
  for (std::size_t s = 0; s < names.size(); ++s) {
    for (std::size_t i = 0; i < weights_.trained.size(); ++i) {
      const Tensor slot = whole(i, [s](Replica& replica) -> Tensor& { return replica.slots[s]; });
      state.set(c10::str(names[s], "/", i), slot.contiguous());
    }
  }
}

void Replicated::set_state_of_shards(const StateDict& state) {
  const c10::NoGradGuard no_grad;
  for (auto& replica : replicas_) {
    for (std::size_t i = 0; i < replica->numbers.size(); ++i)
      replica->numbers[i] = state.number(c10::str("number/", i));
  }
  const auto names = program_.optimizer->slots();
  for (std::size_t s = 0; s < names.size(); ++s) {
    for (std::size_t i = 0; i < weights_.trained.size(); ++i) {
      spread(i, state.tensor(c10::str(names[s], "/", i)),
             [s](Replica& replica) -> Tensor& { return replica.slots[s]; });
    }
  }
  if (peers_) given_ = state;  // which may have been given to the first process alone
}

void Replicated::align_shards(bool first_was_given) {
  const auto given = std::exchange(given_, {});
  if (!first_was_given)
    throw InvalidArgument("Zero: rank 0 must be given the optimizer state that another rank was given");
  auto numbers = replicas_.front()->numbers;
  if (!numbers.empty()) {
    Tensor first = at::tensor(numbers, at::kDouble);
    peers_->take_from(first, 0);
    const auto* values = first.const_data_ptr<double>();
    numbers.assign(values, values + first.numel());
  }
  for (auto& replica : replicas_) replica->numbers = numbers;
  const auto names = program_.optimizer ? program_.optimizer->slots() : std::vector<std::string>();
  for (std::size_t s = 0; s < names.size(); ++s) {
    for (std::size_t i = 0; i < weights_.trained.size(); ++i) {
      const auto& master = weights_.trained[i].variable().value;
      Tensor slot = at::empty_strided(master.sizes(), master.strides(), master.options());
      if (peers_->leads()) slot.copy_(given->tensor(c10::str(names[s], "/", i)));
      if (slot.numel() > 0) peers_->take_from(slot, 0);
      spread(i, slot, [s](Replica& replica) -> Tensor& { return replica.slots[s]; });
    }
  }
}

void Replicated::set_steps(int64_t steps) {
  if (how_.servers) return Execution::set_steps(steps);
  steps_ = steps;
}

}  // namespace tandem::distribute
