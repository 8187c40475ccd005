#include "tandem/distribution/stage_exchange.h"

#include <algorithm>
#include <limits>

namespace tandem::distribute {

StageExchange::StageExchange(FlatWeights& weights, std::vector<int64_t> chunks, comm::Communicator& replicas,
                             int64_t bucket_bytes)
    : weights_(weights), replicas_(replicas), buckets_(make_buckets(weights, bucket_bytes)) {
  for (const auto& bucket : buckets_) {
    int64_t lowest = std::numeric_limits<int64_t>::max();
    for (const auto w : bucket.weights) lowest = std::min(lowest, chunks[w]);
    chunk_of_.push_back(lowest);
    gradients_.push_back(weights.gradients().narrow(0, bucket.begin, bucket.end - bucket.begin));
    ledger_.exchanges.push_back(
        {.what = bucket.what, .bytes = (bucket.end - bucket.begin) * weights.gradients().element_size()});
  }
}

void StageExchange::start(int64_t chunk) {
  while (started_ < buckets_.size() && chunk_of_[started_] >= chunk) {
    const auto b = started_++;
    for (const auto w : buckets_[b].weights) weights_.gather_gradient(w);
    pending_.push_back(replicas_.all_reduce_async(gradients_[b], {.what = buckets_[b].what.c_str()}));
  }
}

void StageExchange::finish() {
  start(0);
  for (std::size_t b = 0; b < buckets_.size(); ++b) ledger_.exchanges[b].times = pending_[b].wait();
  reset();
}

void StageExchange::reset() {
  pending_.clear();
  started_ = 0;
}

}  // namespace tandem::distribute
