#pragma once
#include <cstdint>
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/distribution/flat_weights.h"
#include "tandem/distribution/gradient_buckets.h"
#include "tandem/distribution/stage_gradients.h"

namespace tandem::distribute {

/// Adds up a stage's gradients with those of the same stage in other replicas, in buckets: those of a chunk start on
/// their way while its last backward makes them, and at the latest when the stage's list of instructions says that they
/// are complete, while other chunks go on. In their order on all replicas.
class StageExchange final : public StageGradients {
 public:
  /// `chunks`: by weight, the lowest chunk of the stage that uses it, which is complete last. Weights of higher chunks
  /// lie first in the buffer.
  StageExchange(FlatWeights& weights, std::vector<int64_t> chunks, comm::Communicator& replicas, int64_t bucket_bytes);

  void backward_begins(int64_t chunk, bool last) override;
  void backward_ended(int64_t /*chunk*/) override {}
  void start(int64_t chunk) override;
  void end_step() override {}
  void finish() override;
  void reset() override;
  const StepLedger& ledger() const override { return ledger_; }

 private:
  void gradient_ready(std::size_t weight);
  void start_next();

  FlatWeights& weights_;
  comm::Communicator& replicas_;
  const std::vector<GradientBucket> buckets_;
  const std::vector<int64_t> chunks_;   // by weight
  std::vector<std::size_t> bucket_of_;  // by weight
  std::vector<int64_t> chunk_of_;       // by bucket: the lowest of its weights'
  std::vector<std::size_t> missing_;    // by bucket: gradients of the expected chunk
  std::vector<uint8_t> ready_;          // by weight
  int64_t expected_ = -1;
  std::vector<Tensor> gradients_;  // by bucket: its part of the buffer
  std::vector<comm::Pending> pending_;
  std::size_t started_ = 0;
  StepLedger ledger_;
};

}  // namespace tandem::distribute
