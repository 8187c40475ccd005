#include "tandem/distribution/replica_update.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <optional>

namespace tandem::distribute {

ReplicaUpdate::ReplicaUpdate(const Program& program, Replica& replica, int64_t iteration, double rate, double scale,
                             const Tensor& chosen)
    : program_(program),
      replica_(replica),
      iteration_(iteration),
      rate_(rate),
      scale_(scale),
      loss_scale_(program.optimizer->loss_scale(replica.numbers)),
      chosen_(chosen.defined() ? chosen.const_data_ptr<double>() : nullptr) {
  if (chosen_ && std::all_of(chosen_, chosen_ + chosen.numel(), [](double flag) { return flag > 0; }))
    chosen_ = nullptr;
  const auto& optimizer = *program.optimizer;
  by_bucket_ =
      !replica.shard && !chosen_ && optimizer.elementwise() && !optimizer.prepares() && replica.constrained.empty();
}

void ReplicaUpdate::update(Tensor parameters, const Tensor& gradients, std::span<Tensor> slots) {
  program_.optimizer->update(parameters, gradients, slots, iteration_, rate_);
}

void ReplicaUpdate::unscale(Tensor& gradients) const {
  if (loss_scale_ != 1) gradients.div_(loss_scale_);
  if (scale_ != 1) gradients.mul_(scale_);
}

void ReplicaUpdate::update_bucket(std::size_t bucket) {
  auto& part = replica_.parts_by_bucket[bucket];
  unscale(part.gradients);
  update(part.parameters, part.gradients, part.slots);
}

bool ReplicaUpdate::update_whole(const GradientShards* shards) {
  if (replica_.shard) return update_shard(shards);
  auto& own = replica_.trainable;
  const auto& optimizer = *program_.optimizer;
  unscale(own.gradients());
  std::vector<FlatPlace> places;
  std::vector<std::size_t> meant;
  for (std::size_t i = 0; i < own.places().size(); ++i) {
    if (!is_meant(i)) continue;
    places.push_back(own.places()[i]);
    meant.push_back(i);
  }
  if (optimizer.prepares() &&
      !optimizer.prepare({own.gradients(), replica_.slots, places, iteration_, replica_.numbers, shards}))
    return false;
  if (!chosen_ && optimizer.elementwise()) {
    update(own.parameters(), own.gradients(), replica_.slots);
  } else {
    for (const auto i : meant) {
      std::vector<Tensor> slots;
      for (const auto& slot : replica_.slots) slots.push_back(own.view(slot, i));
      update(own.view(own.parameters(), i), own.view(own.gradients(), i), slots);
    }
  }
  constrain();
  return true;
}

void ReplicaUpdate::note(bool made, bool tells, const GradientShards* shards) {
  if (replica_.numbers.empty()) return;
  auto* const shard = replica_.shard.get();
  const auto first = [&] {
    const auto finite = [&](std::size_t i, bool gradient) {
      const auto& own = replica_.trainable;
      const Tensor values = shard      ? shard->part(gradient ? shard->gradients() : shard->parameters(), i)
                            : gradient ? own.view(own.gradients(), i)
                                       : own.view(own.parameters(), i);
      return values.isfinite().all().item<bool>();
    };
    const auto sums = shard ? std::optional(shard->sums(shards)) : std::nullopt;
    return first_not_finite(*program_.network, replica_.trainable.weights(), finite, sums ? &*sums : shards);
  };
  const double scale = program_.optimizer->loss_scale(replica_.numbers);
  replica_.skipped.note(made, scale, tells && (!shards || shards->leads), first);
}

// Of elements, wherever weights begin and end; what goes by weight is added up over the ranks.
bool ReplicaUpdate::update_shard(const GradientShards* others) {
  auto& shard = *replica_.shard;
  const auto& optimizer = *program_.optimizer;
  unscale(shard.gradients());
  std::vector<FlatPlace> places;
  for (std::size_t i = 0; i < shard.layout().parts().size(); ++i) {
    if (is_meant(i)) places.push_back(shard.layout().parts()[i]);
  }
  const GradientShards sums = shard.sums(others);
  if (optimizer.prepares() &&
      !optimizer.prepare({shard.gradients(), replica_.slots, places, iteration_, replica_.numbers, &sums}))
    return false;
  if (!chosen_) {
    update_where_slots_are(shard.parameters(), shard.gradients(), replica_.slots);
  } else {
    for (const auto& place : places) {
      const auto part = [&](const Tensor& all) { return all.narrow(0, place.offset, place.count); };
      std::vector<Tensor> slots;
      for (const auto& slot : replica_.slots) slots.push_back(part(slot));
      if (place.count > 0) update_where_slots_are(part(shard.parameters()), part(shard.gradients()), slots);
    }
  }
  shard.share();
  constrain();
  return true;
}

void ReplicaUpdate::update_where_slots_are(Tensor parameters, const Tensor& gradients, std::span<Tensor> slots) {
  const auto where = replica_.shard->slots_on();
  if (parameters.device() == where) return update(parameters, gradients, slots);
  const c10::NoGradGuard no_grad;
  const Tensor there = parameters.to(where);
  update(there, gradients.to(where), slots);
  parameters.copy_(there);
}

void ReplicaUpdate::constrain() {
  const c10::NoGradGuard no_grad;
  for (const auto& w : replica_.constrained) {
    Tensor& value = replica_.own(w);
    const auto apply = [&] { value.copy_((*w.variable().constraint)(value.detach())); };
    if (!replica_.shard) {
      apply();
      continue;
    }
    const auto& all = replica_.trainable.weights();
    replica_.shard->change_whole(static_cast<std::size_t>(std::find(all.begin(), all.end(), w) - all.begin()), apply);
  }
}

}  // namespace tandem::distribute
