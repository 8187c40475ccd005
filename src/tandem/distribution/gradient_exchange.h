#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/distribution/execution.h"
#include "tandem/distribution/flat_weights.h"
#include "tandem/distribution/gradient_buckets.h"

namespace tandem::distribute {

/// Adds up one replica's gradients with those of the others, bucket by bucket: a bucket starts on its way when backward
/// has made the last of its gradients, while backward goes on with the layers before. Buckets travel in their order on
/// all replicas, whatever the order in which they fill. As in PyTorch's DistributedDataParallel (Li et al. 2020).
class GradientExchange {
 public:
  /// `wants_result`: this replica needs the sums.
  GradientExchange(FlatWeights& weights, comm::Communicator& communicator, std::vector<GradientBucket> buckets,
                   comm::Algorithm algorithm, bool wants_result);

  /// From now on gradients that become ready are exchanged.
  void begin();
  /// No gradient is still to come: what has not been ready starts on its way, too.
  void start_rest();
  /// start_rest, and then calls `arrived(bucket)` for one bucket after the other when it has the sums.
  void finish(const std::function<void(std::size_t bucket)>& arrived);

  const std::vector<GradientBucket>& buckets() const { return buckets_; }
  /// Of the last exchange.
  const StepLedger& ledger() const { return ledger_; }

 private:
  void gradient_ready(std::size_t weight);
  void start_full_buckets();

  FlatWeights& weights_;
  comm::Communicator& communicator_;
  const std::vector<GradientBucket> buckets_;
  const comm::Algorithm algorithm_;
  const bool wants_result_;
  std::vector<Tensor> gradients_;       // by bucket: its part of the buffer
  std::vector<std::size_t> bucket_of_;  // by weight
  std::vector<std::size_t> missing_;    // by bucket: gradients that are not ready
  std::vector<uint8_t> ready_;          // by weight
  std::vector<comm::Pending> pending_;  // by bucket
  std::size_t started_ = 0;             // buckets on their way
  bool active_ = false;
  StepLedger ledger_;
};

}  // namespace tandem::distribute
