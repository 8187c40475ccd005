#pragma once
#include <vector>

#include "tandem/distribution/gradient_exchange.h"

namespace tandem::distribute {

/// Adds up a replica's gradients with those of the others.
class AllReduceExchange final : public GradientExchange {
 public:
  /// `wants_result`: this replica needs the sums.
  AllReduceExchange(FlatWeights& weights, comm::Communicator& communicator, std::vector<GradientBucket> buckets,
                    comm::Algorithm algorithm, bool wants_result);

 private:
  void reset(const UpdateTerms& terms) override;
  void start(std::size_t bucket) override;
  void advance(std::size_t bucket) override { pending_[bucket].advance(); }
  comm::ReduceTimes wait(std::size_t bucket) override { return pending_[bucket].wait(); }

  comm::Communicator& communicator_;
  const comm::Algorithm algorithm_;
  const bool wants_result_;
  std::vector<Tensor> gradients_;       // by bucket: its part of the buffer
  std::vector<comm::Pending> pending_;  // by bucket
};

}  // namespace tandem::distribute
