#include "tandem/distribution/sharded_exchange.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>

namespace tandem::distribute {
namespace {

// Buckets that may be on their way while backward goes on, where they have memory for as long only.
constexpr std::size_t kOnTheWay = 3;

}  // namespace

ShardedExchange::ShardedExchange(FlatWeights& weights, ReplicaShard& shard, comm::Communicator& communicator,
                                 std::vector<GradientBucket> buckets, comm::Algorithm algorithm)
    : GradientExchange(weights, std::move(buckets), communicator.world_size() > 1),
      shard_(shard),
      communicator_(communicator),
      algorithm_(algorithm),
      transient_(shard.stage() > 1),
      ways_(this->buckets().size()),
      bucket_of_(weights.weights().size()) {
  for (std::size_t b = 0; b < ways_.size(); ++b) {
    const auto& bucket = this->buckets()[b];
    ways_[b].pieces = shard.layout().pieces(bucket.begin, bucket.end);
    if (!transient_) ways_[b].memory = weights.gradients().narrow(0, bucket.begin, bucket.end - bucket.begin);
    for (const auto i : bucket.weights) bucket_of_[i] = b;
  }
}

Tensor& ShardedExchange::memory_of(std::size_t b) {
  auto& memory = ways_[b].memory;
  if (!memory.defined()) memory = at::zeros({buckets()[b].end - buckets()[b].begin}, shard_.gradients().options());
  return memory;
}

void ShardedExchange::take(std::size_t weight) {
  if (!transient_) return GradientExchange::take(weight);
  const Tensor gradient = weights().take_gradient(weight);
  if (!gradient.defined()) return;
  const c10::NoGradGuard no_grad;
  const std::size_t b = bucket_of_[weight];
  const Tensor& memory = memory_of(b);
  const auto& master = weights().weights()[weight].variable().value;
  memory.as_strided(master.sizes(), master.strides(), weights().places()[weight].offset - buckets()[b].begin)
      .copy_(gradient);
}

void ShardedExchange::reset(const UpdateTerms& /*terms*/) {
  started_ = 0;
  for (auto& way : ways_) {
    way.pending.clear();
    way.taken = false;
    if (transient_) way.memory = Tensor();
  }
}

void ShardedExchange::start(std::size_t b) {
  started_ = b + 1;
  if (communicator_.world_size() == 1) return;
  const Tensor& memory = memory_of(b);
  for (const auto& piece : ways_[b].pieces) {
    Tensor part = memory.narrow(0, piece.begin - buckets()[b].begin, piece.size());
    ways_[b].pending.push_back(
        communicator_.all_reduce_async(part, {.algorithm = algorithm_,
                                              .wants_result = piece.owner == communicator_.rank(),
                                              .what = buckets()[b].what.c_str()}));
  }
}

void ShardedExchange::advance(std::size_t b) {
  auto& pending = ways_[b].pending;
  const bool arrived =
      std::count_if(pending.begin(), pending.end(), [](auto& part) { return part.advance(); }) == std::ssize(pending);
  // GPUs that are parts of one share the thread of their backward, which must not wait for itself.
  const bool many = b + kOnTheWay < started_ && shard_.gradients().is_cpu();
  if (transient_ && (arrived || many)) wait(b);
}

comm::ReduceTimes ShardedExchange::wait(std::size_t b) {
  auto& way = ways_[b];
  if (way.taken) return way.times;
  way.taken = true;
  for (auto& part : way.pending) way.times = part.wait();
  way.pending.clear();
  if (!transient_) return way.times;
  const c10::NoGradGuard no_grad;
  const auto& layout = shard_.layout();
  for (const auto& piece : way.pieces) {
    if (piece.owner != layout.rank()) continue;
    shard_.gradients()
        .narrow(0, piece.begin - layout.begin(), piece.size())
        .add_(memory_of(b).narrow(0, piece.begin - buckets()[b].begin, piece.size()));
  }
  way.memory = Tensor();
  return way.times;
}

}  // namespace tandem::distribute
