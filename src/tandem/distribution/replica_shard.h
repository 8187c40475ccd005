#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/distribution/flat_weights.h"
#include "tandem/distribution/gathered_weights.h"
#include "tandem/distribution/gradient_buckets.h"
#include "tandem/distribution/shard_layout.h"
#include "tandem/distribution/storage_bytes.h"

namespace tandem::distribute {

/// What ranks that train the same weights divide among themselves, as the stages of ZeRO (Rajbhandari et al. 2020):
/// 1: the optimizer's slots; 2: gradients, too; 3: parameters, too. 0: nothing, each rank has all.
struct Sharding {
  int64_t stage = 0;
  int64_t ranks = 1;
  bool offload_optimizer = false;  // the slots lie in host memory, and updates are made there

  /// What a rank keeps whole.
  FlatMemory memory() const { return {.parts = ranks, .parameters = stage < 3, .gradients = stage < 2}; }
};

/// One rank's shard of the weights that all ranks of a communicator train.
class ReplicaShard {
 public:
  /// `weights` of `sharding`.memory(); both they and the communicator must outlive this. Gives the weights their
  /// memory in stage 3.
  ReplicaShard(FlatWeights& weights, const Sharding& sharding, comm::Communicator& communicator,
               const std::vector<GradientBucket>& buckets, c10::Device device);

  int64_t stage() const { return stage_; }
  const ShardLayout& layout() const { return layout_; }
  /// This rank's part of the parameters and of their gradients (n,): of the whole buffers where this rank has those.
  Tensor& parameters() { return parameters_; }
  Tensor& gradients() { return gradients_; }
  /// Whose memory has the optimizer's slots.
  c10::Device slots_on() const { return slots_on_; }
  /// Weight i's part in this rank's shard of any buffer laid out like the parameters.
  Tensor part(const Tensor& shard, std::size_t i) const;
  /// Weight i's values in such a buffer, in its shape, put together from all ranks' shards; collective.
  Tensor whole(const Tensor& shard, std::size_t i) const;
  /// This rank's part of weight i's `whole` values into its shard of such a buffer.
  void take(const Tensor& shard, std::size_t i, const Tensor& whole) const;
  /// Of gradients: sums over all ranks. `others`: over those, too, who have other weights of the model; null: nobody.
  GradientShards sums(const GradientShards* others) const;
  /// What brings whole parameters to those who compute with them; null: they are here.
  GatheredWeights* gathered() { return gathered_.get(); }

  /// Copies this rank's part of the masters' values in.
  void load();
  /// Those that are not in the whole buffer.
  void zero_gradients();
  /// This rank has changed its part of the parameters: the others learn it, where they have all. Collective.
  void share();
  /// `change` changes weight `i` while it is whole, after share, on all ranks alike. Collective.
  void change_whole(std::size_t i, const std::function<void()>& change);
  void add_memory(StorageBytes& parameters, StorageBytes& gradients) const;

 private:
  void add_up(std::vector<double>& values) const;

  FlatWeights& weights_;
  comm::Communicator& communicator_;
  const int64_t stage_;
  const c10::Device slots_on_;
  const ShardLayout layout_;
  Tensor parameters_, gradients_;
  std::unique_ptr<GatheredWeights> gathered_;
};

/// The elements of `value`, dense, in the order of its memory (n,).
Tensor in_memory_order(const Tensor& value);

}  // namespace tandem::distribute
