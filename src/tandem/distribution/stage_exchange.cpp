#include "tandem/distribution/stage_exchange.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tandem::distribute {

StageExchange::StageExchange(FlatWeights& weights, std::vector<int64_t> chunks, comm::Communicator& replicas,
                             int64_t bucket_bytes)
    : weights_(weights),
      replicas_(replicas),
      buckets_(make_buckets(weights, bucket_bytes)),
      chunks_(std::move(chunks)),
      bucket_of_(chunks_.size()),
      missing_(buckets_.size()),
      ready_(chunks_.size()) {
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    const auto& bucket = buckets_[b];
    int64_t lowest = std::numeric_limits<int64_t>::max();
    for (const auto w : bucket.weights) {
      lowest = std::min(lowest, chunks_[w]);
      bucket_of_[w] = b;
    }
    chunk_of_.push_back(lowest);
    gradients_.push_back(weights.gradients().narrow(0, bucket.begin, bucket.end - bucket.begin));
    ledger_.exchanges.push_back(
        {.what = bucket.what, .bytes = (bucket.end - bucket.begin) * weights.gradients().element_size()});
  }
  weights.on_gradient([this](std::size_t weight) { gradient_ready(weight); });
}

void StageExchange::backward_begins(int64_t chunk, bool last) {
  if (!last) return;
  expected_ = chunk;
  std::fill(ready_.begin(), ready_.end(), uint8_t{0});
  std::fill(missing_.begin(), missing_.end(), 0);
  for (std::size_t w = 0; w < chunks_.size(); ++w) missing_[bucket_of_[w]] += chunks_[w] == chunk ? 1 : 0;
}

void StageExchange::gradient_ready(std::size_t weight) {
  if (chunks_[weight] != expected_ || ready_[weight]) return;
  ready_[weight] = 1;
  --missing_[bucket_of_[weight]];
  while (started_ < buckets_.size() && chunk_of_[started_] >= expected_ && missing_[started_] == 0) start_next();
  for (auto& pending : pending_) pending.advance();
}

void StageExchange::start_next() {
  const auto b = started_++;
  for (const auto w : buckets_[b].weights) weights_.gather_gradient(w);
  pending_.push_back(replicas_.all_reduce_async(gradients_[b], {.what = buckets_[b].what.c_str()}));
}

void StageExchange::start(int64_t chunk) {
  expected_ = -1;
  while (started_ < buckets_.size() && chunk_of_[started_] >= chunk) start_next();
}

void StageExchange::finish() {
  start(0);
  for (std::size_t b = 0; b < buckets_.size(); ++b) ledger_.exchanges[b].times = pending_[b].wait();
  reset();
}

void StageExchange::reset() {
  pending_.clear();
  started_ = 0;
  expected_ = -1;
}

}  // namespace tandem::distribute
