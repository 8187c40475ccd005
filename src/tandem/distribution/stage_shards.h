#pragma once
#include <memory>
#include <vector>

#include "tandem/comm/communicator.h"
#include "tandem/distribution/replica_shard.h"
#include "tandem/distribution/sharded_exchange.h"
#include "tandem/distribution/stage_gradients.h"

namespace tandem::distribute {

/// Where no replica of a stage keeps all gradients (ZeRO 2 and 3): those of a chunk travel in each of its backwards,
/// and each replica adds the sums of its shard to those of the micro batches before. They are waited for when that
/// chunk's next backward begins.
class StageShards final : public StageGradients {
 public:
  /// `chunks`: by weight, as StageExchange has them.
  StageShards(FlatWeights& weights, ReplicaShard& shard, const std::vector<int64_t>& chunks,
              comm::Communicator& replicas, int64_t bucket_bytes);

  void backward_begins(int64_t chunk, bool last) override;
  void backward_ended(int64_t chunk) override;
  void start(int64_t /*chunk*/) override {}
  void end_step() override;
  void finish() override { end_step(); }
  void reset() override;
  const StepLedger& ledger() const override { return ledger_; }

 private:
  struct Chunk {
    std::unique_ptr<ShardedExchange> exchange;
    bool under_way = false;
  };
  void finish(Chunk& chunk);

  std::vector<Chunk> chunks_;
  StepLedger ledger_;
};

}  // namespace tandem::distribute
