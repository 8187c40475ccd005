#pragma once
#include <vector>

#include "tandem/distribution/gradient_exchange.h"
#include "tandem/distribution/replica_shard.h"

namespace tandem::distribute {

/// Adds up a replica's gradients with those of the others, each rank those of its shard. From stage 2 on a bucket has
/// memory from the first of its gradients until all ranks have taken theirs of it.
class ShardedExchange final : public GradientExchange {
 public:
  ShardedExchange(FlatWeights& weights, ReplicaShard& shard, comm::Communicator& communicator,
                  std::vector<GradientBucket> buckets, comm::Algorithm algorithm);

  bool each_step() const override { return transient_; }

 private:
  struct Way {
    std::vector<ShardPiece> pieces;
    Tensor memory;  // (end - begin,)
    std::vector<comm::Pending> pending;
    comm::ReduceTimes times;
    bool taken = false;
  };
  void take(std::size_t weight) override;
  void reset(const UpdateTerms& terms) override;
  void start(std::size_t bucket) override;
  void advance(std::size_t bucket) override;
  comm::ReduceTimes wait(std::size_t bucket) override;
  Tensor& memory_of(std::size_t bucket);

  ReplicaShard& shard_;
  comm::Communicator& communicator_;
  const comm::Algorithm algorithm_;
  const bool transient_;
  std::vector<Way> ways_;               // by bucket
  std::vector<std::size_t> bucket_of_;  // by weight
  std::size_t started_ = 0;
};

}  // namespace tandem::distribute
