#pragma once
#include <cstdint>
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/distribution/execution.h"
#include "tandem/distribution/flat_weights.h"
#include "tandem/distribution/gradient_buckets.h"

namespace tandem::distribute {

/// Adds up a stage's gradients with those of the same stage in other replicas, in buckets: those of a chunk start on
/// their way when the stage's list of instructions says that it is complete, while other chunks go on. Whoever divides
/// optimizer state or gradients over the replicas of a stage does it in place of this.
class StageExchange {
 public:
  /// `chunks`: by weight, the lowest chunk of the stage that uses it, which is complete last. Weights of higher chunks
  /// lie first in the buffer.
  StageExchange(FlatWeights& weights, std::vector<int64_t> chunks, comm::Communicator& replicas, int64_t bucket_bytes);

  /// No gradient of this chunk, or of a higher one, is still to come.
  void start(int64_t chunk);
  /// Starts what is left, and returns when the gradients are the sums over all replicas.
  void finish();
  /// Forgets what was on its way, of a step that failed.
  void reset();
  /// Of the last exchange.
  const StepLedger& ledger() const { return ledger_; }

 private:
  FlatWeights& weights_;
  comm::Communicator& replicas_;
  const std::vector<GradientBucket> buckets_;
  std::vector<int64_t> chunk_of_;  // by bucket
  std::vector<Tensor> gradients_;  // by bucket: its part of the buffer
  std::vector<comm::Pending> pending_;
  std::size_t started_ = 0;
  StepLedger ledger_;
};

}  // namespace tandem::distribute
