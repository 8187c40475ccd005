#include "tandem/distribution/stage_shards.h"

#include <algorithm>

namespace tandem::distribute {

StageShards::StageShards(FlatWeights& weights, ReplicaShard& shard, const std::vector<int64_t>& chunks,
                         comm::Communicator& replicas, int64_t bucket_bytes) {
  const int64_t last = chunks.empty() ? 0 : *std::max_element(chunks.begin(), chunks.end());
  for (int64_t chunk = 0; chunk <= last; ++chunk) {
    // A weight of several chunks travels with the lowest, whose backward is the last of a micro batch.
    auto buckets = make_buckets(weights, bucket_bytes, [&](std::size_t w) { return chunks[w] == chunk; });
    chunks_.push_back(
        {std::make_unique<ShardedExchange>(weights, shard, replicas, std::move(buckets), comm::Algorithm::automatic)});
  }
}

void StageShards::backward_begins(int64_t chunk, bool /*last*/) {
  if (chunk >= std::ssize(chunks_)) return;  // it has no weights
  auto& own = chunks_[static_cast<std::size_t>(chunk)];
  finish(own);
  own.exchange->begin({});
  own.under_way = true;
}

void StageShards::backward_ended(int64_t chunk) {
  if (chunk < std::ssize(chunks_)) chunks_[static_cast<std::size_t>(chunk)].exchange->start_rest();
}

void StageShards::finish(Chunk& chunk) {
  if (!chunk.under_way) return;
  chunk.exchange->finish([](std::size_t) {});
  chunk.under_way = false;
}

void StageShards::end_step() {
  ledger_ = {};
  for (auto chunk = chunks_.rbegin(); chunk != chunks_.rend(); ++chunk) {
    finish(*chunk);
    const auto& own = chunk->exchange->ledger();
    if (ledger_.backward_began == 0) ledger_.backward_began = own.backward_began;
    ledger_.last_gradient = own.last_gradient;
    ledger_.backward_ended = own.backward_ended;
    ledger_.exchanges.insert(ledger_.exchanges.end(), own.exchanges.begin(), own.exchanges.end());
  }
}

void StageShards::reset() {
  for (auto& chunk : chunks_) {
    chunk.under_way = false;
    chunk.exchange->forget();
  }
}

}  // namespace tandem::distribute
