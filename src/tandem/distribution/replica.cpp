#include "tandem/distribution/replica.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "tandem/distribution/table_rows.h"

namespace tandem::distribute {

Replica::Replica(const Weights& weights, const std::vector<std::size_t>& order, const Replica* lead, c10::Device device,
                 const FlatMemory& memory)
    : rows(device),
      trainable(lead ? FlatWeights::beside(lead->trainable) : FlatWeights(weights.trained, order, device, memory)),
      fixed(weights.fixed),
      leads(!lead),
      figures(device) {
  if (memory.parameters) trainable.add_to(map);
  for (const auto& w : fixed) {
    const Tensor& master = w.variable().value;
    map[&w.variable()] = at::empty_strided(master.sizes(), master.strides(), master.options().device(device));
  }
  for (const auto& w : weights.tables) map[&w.variable()] = w.variable().value;
  for (const auto& w : trainable.weights()) {
    if (w.variable().constraint) constrained.push_back(w);
  }
}

void Replica::divide(const Sharding& sharding, comm::Communicator& communicator,
                     const std::vector<GradientBucket>& buckets, c10::Device device) {
  shard = std::make_unique<ReplicaShard>(trainable, sharding, communicator, buckets, device);
  if (!gathered()) return;
  trainable.add_to(map);
  watch = std::make_unique<CallTrace>("", gathered(), false);
}

void Replica::join(const Program& program, std::unique_ptr<GradientExchange> gradients, bool makes_updates) {
  exchange = std::move(gradients);
  if (program.optimizer) numbers = program.optimizer->initial_numbers();
  if (!makes_updates || !program.optimizer) return;
  const auto names = program.optimizer->slots();
  const Tensor& alike = shard ? shard->parameters() : trainable.parameters();
  const auto options = shard ? alike.options().device(shard->slots_on()) : alike.options();
  for (std::size_t s = 0; s < names.size(); ++s)
    slots.push_back(at::full_like(alike, program.optimizer->initial_slot(s), options));
  if (!exchange || shard) return;
  for (const auto& bucket : exchange->buckets()) {
    const auto part = [&](const Tensor& buffer) { return buffer.narrow(0, bucket.begin, bucket.end - bucket.begin); };
    auto& views = parts_by_bucket.emplace_back(Part{part(trainable.parameters()), part(trainable.gradients()), {}});
    for (const auto& slot : slots) views.slots.push_back(part(slot));
  }
}

void Replica::add_memory(StorageBytes& parameters, StorageBytes& gradients, StorageBytes& optimizer) const {
  if (shard) {
    shard->add_memory(parameters, gradients);
  } else {
    parameters.add(trainable.parameters());
    gradients.add(trainable.gradients());
  }
  for (const auto& w : fixed) parameters.add(map.at(&w.variable()));
  for (const auto& slot : slots) optimizer.add(slot);
}

void Replica::load() {
  if (gathered()) {
    shard->load();
  } else if (leads) {
    trainable.load();
  }
  const c10::NoGradGuard no_grad;
  for (const auto& w : fixed) own(w).copy_(w.variable().value);
  rows_since_store = 0;
}

AbsentWeights* Replica::absent() {
  if (auto* rows = tables()) return rows;
  return gathered();
}

void Replica::zero_gradients() {
  trainable.zero_gradients();
  if (shard) shard->zero_gradients();
  if (auto* rows = tables()) rows->zero_gradients();
}

void Replica::count_rows(int64_t count) {
  rows_trained += count;
  rows_since_store += count;
  rows_since_update += count;
  rows_since_average += count;
}

void Replica::begin_step() {
  figures.begin();
  updates = 0;
  outputs = {};
}

}  // namespace tandem::distribute
