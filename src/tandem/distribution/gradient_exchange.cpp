#include "tandem/distribution/gradient_exchange.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "tandem/core/steady_seconds.h"

namespace tandem::distribute {

GradientExchange::GradientExchange(FlatWeights& weights, comm::Communicator& communicator,
                                   std::vector<GradientBucket> buckets, comm::Algorithm algorithm, bool wants_result)
    : weights_(weights),
      communicator_(communicator),
      buckets_(std::move(buckets)),
      algorithm_(algorithm),
      wants_result_(wants_result),
      bucket_of_(weights.weights().size()),
      missing_(buckets_.size()),
      ready_(weights.weights().size()),
      pending_(buckets_.size()) {
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    const auto& bucket = buckets_[b];
    gradients_.push_back(weights.gradients().narrow(0, bucket.begin, bucket.end - bucket.begin));
    for (const auto w : bucket.weights) bucket_of_[w] = b;
    ledger_.exchanges.push_back({.what = bucket.what, .bytes = static_cast<int64_t>(gradients_.back().nbytes())});
  }
  if (communicator.world_size() > 1)  // alone there is nothing to hurry for
    weights.on_gradient([this](std::size_t weight) { gradient_ready(weight); });
}

void GradientExchange::begin() {
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    missing_[b] = buckets_[b].weights.size();
    ledger_.exchanges[b].times = {};
    ledger_.exchanges[b].updated = 0;
  }
  std::fill(ready_.begin(), ready_.end(), uint8_t{0});
  for (auto& p : pending_) p = {};  // of a step that failed
  started_ = 0;
  active_ = true;
  ledger_.backward_began = steady_seconds();
  ledger_.last_gradient = ledger_.backward_ended = 0;
}

void GradientExchange::gradient_ready(std::size_t weight) {
  if (!active_ || ready_[weight]) return;
  ledger_.last_gradient = steady_seconds();
  weights_.gather_gradient(weight);
  ready_[weight] = 1;
  --missing_[bucket_of_[weight]];
  start_full_buckets();
  for (std::size_t b = 0; b < started_; ++b) pending_[b].advance();
}

void GradientExchange::start_full_buckets() {
  while (started_ < buckets_.size() && missing_[started_] == 0) {
    pending_[started_] = communicator_.all_reduce_async(
        gradients_[started_],
        {.algorithm = algorithm_, .wants_result = wants_result_, .what = buckets_[started_].what.c_str()});
    ++started_;
  }
}

void GradientExchange::start_rest() {
  if (!active_) return;
  ledger_.backward_ended = steady_seconds();
  active_ = false;
  for (std::size_t w = 0; w < ready_.size(); ++w) {
    if (!ready_[w]) weights_.gather_gradient(w);
  }
  std::fill(missing_.begin(), missing_.end(), 0);
  start_full_buckets();
}

void GradientExchange::finish(const std::function<void(std::size_t)>& arrived) {
  start_rest();
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    ledger_.exchanges[b].times = pending_[b].wait();
    arrived(b);
    ledger_.exchanges[b].updated = steady_seconds();
  }
}

}  // namespace tandem::distribute
