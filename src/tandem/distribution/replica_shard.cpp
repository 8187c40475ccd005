#include "tandem/distribution/replica_shard.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

namespace tandem::distribute {

Tensor in_memory_order(const Tensor& value) { return value.as_strided({value.numel()}, {1}, value.storage_offset()); }

ReplicaShard::ReplicaShard(FlatWeights& weights, const Sharding& sharding, comm::Communicator& communicator,
                           const std::vector<GradientBucket>& buckets, c10::Device device)
    : weights_(weights),
      communicator_(communicator),
      stage_(sharding.stage),
      slots_on_(sharding.offload_optimizer ? c10::Device(c10::kCPU) : device),
      layout_(weights.places(), weights.elements(), communicator.rank(), sharding.ranks) {
  const auto own = [&](const Tensor& whole) {
    return whole.defined() ? whole.narrow(0, layout_.begin(), layout_.size())
                           : at::zeros({layout_.size()}, at::TensorOptions(device).dtype(at::kFloat));
  };
  parameters_ = own(weights.parameters());
  gradients_ = own(weights.gradients());
  if (stage_ == 3) gathered_ = std::make_unique<GatheredWeights>(weights, layout_, parameters_, communicator, buckets);
}

void ReplicaShard::add_up(std::vector<double>& values) const {
  Tensor sums = at::tensor(values, at::kDouble);
  communicator_.all_reduce(sums, {.what = "figures of gradients"});
  values.assign(sums.const_data_ptr<double>(), sums.const_data_ptr<double>() + values.size());
}

GradientShards ReplicaShard::sums(const GradientShards* others) const {
  GradientShards sums;
  sums.sum = [this, others](double value) {
    std::vector<double> one{value};
    add_up(one);
    return others ? others->sum(one.front()) : one.front();
  };
  sums.sum_by_weight = [this, others](std::vector<double>& values) {
    add_up(values);
    if (others && others->sum_by_weight) others->sum_by_weight(values);
  };
  if (!others) return sums;
  for (const auto& place : others->counted_elsewhere) {
    for (const auto& piece : layout_.pieces(place.offset, place.offset + place.count)) {
      if (piece.owner == layout_.rank())
        sums.counted_elsewhere.push_back({piece.begin - layout_.begin(), piece.size()});
    }
  }
  return sums;
}

Tensor ReplicaShard::part(const Tensor& shard, std::size_t i) const {
  const auto& place = layout_.parts()[i];
  return shard.narrow(0, place.offset, place.count);
}

Tensor ReplicaShard::whole(const Tensor& shard, std::size_t i) const {
  const auto& master = weights_.weights()[i].variable().value;
  const auto& place = weights_.places()[i];
  Tensor whole = at::empty_strided(master.sizes(), master.strides(), shard.options());
  const Tensor flat = in_memory_order(whole);
  for (const auto& piece : layout_.pieces(place.offset, place.offset + place.count)) {
    Tensor part = flat.narrow(0, piece.begin - place.offset, piece.size());
    if (piece.owner == layout_.rank()) part.copy_(shard.narrow(0, piece.begin - layout_.begin(), piece.size()));
    communicator_.broadcast(part, piece.owner);
  }
  return whole;
}

void ReplicaShard::take(const Tensor& shard, std::size_t i, const Tensor& whole) const {
  const auto& master = weights_.weights()[i].variable().value;
  Tensor laid_out = whole;
  if (whole.strides() != master.strides())
    laid_out = at::empty_strided(master.sizes(), master.strides(), whole.options()).copy_(whole);
  const Tensor own = part(shard, i);
  own.copy_(in_memory_order(laid_out).narrow(0, layout_.firsts()[i], own.numel()));
}

void ReplicaShard::load() {
  const c10::NoGradGuard no_grad;
  for (std::size_t i = 0; i < weights_.weights().size(); ++i)
    take(parameters_, i, weights_.weights()[i].variable().value);
}

void ReplicaShard::zero_gradients() {
  if (stage_ > 1) gradients_.zero_();
}

void ReplicaShard::share() {
  if (gathered_) {
    gathered_->updated();
  } else if (layout_.ranks() > 1) {
    communicator_.all_gather(parameters_, weights_.parameters());
  }
}

void ReplicaShard::change_whole(std::size_t i, const std::function<void()>& change) {
  gathered_ ? gathered_->change_whole(i, change) : change();
}

void ReplicaShard::add_memory(StorageBytes& parameters, StorageBytes& gradients) const {
  parameters.add(parameters_);
  gradients.add(gradients_);
  if (gathered_) gathered_->add_memory(parameters);
}

}  // namespace tandem::distribute
