#pragma once
#include <cstdint>

#include "tandem/distribution/execution.h"
#include "tandem/distribution/replica.h"

namespace tandem::distribute {

/// One update of a replica's parameters from gradients that are complete.
class ReplicaUpdate {
 public:
  /// `scale`: what the gradients are multiplied with first, beside the optimizer's loss scale. `chosen`: 1 for each
  /// trainable weight that is meant, else 0; undefined where all are.
  ReplicaUpdate(const Program& program, Replica& replica, int64_t iteration, double rate, double scale,
                const Tensor& chosen);

  /// True when buckets can be updated one by one: nothing needs all gradients, or whole weights.
  bool by_bucket() const { return by_bucket_; }
  void update_bucket(std::size_t bucket);
  /// Prepares the gradients, updates the weights that are meant, and applies constraints. False: the optimizer makes no
  /// update of them.
  bool update_whole(const GradientShards* shards = nullptr);
  /// Counts the update that was `made`, or not, for SkippedUpdates. `tells`: of replicas this is the one that says so.
  /// Collective over `shards`, and over the ranks that divide the gradients.
  void note(bool made, bool tells, const GradientShards* shards);

 private:
  bool update_shard(const GradientShards* others);
  bool is_meant(std::size_t i) const { return !chosen_ || chosen_[i] > 0; }
  void constrain();
  // Of parts whose slots may be in host memory.
  void update_where_slots_are(Tensor parameters, const Tensor& gradients, std::span<Tensor> slots);
  void unscale(Tensor& gradients) const;
  void update(Tensor parameters, const Tensor& gradients, std::span<Tensor> slots);

  const Program& program_;
  Replica& replica_;
  const int64_t iteration_;
  const double rate_, scale_, loss_scale_;
  const double* chosen_;  // by weight; null: all
  bool by_bucket_;
};

}  // namespace tandem::distribute
