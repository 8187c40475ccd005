#include "tandem/distribution/gradient_exchange.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "tandem/core/steady_seconds.h"

namespace tandem::distribute {

GradientExchange::GradientExchange(FlatWeights& weights, std::vector<GradientBucket> buckets, bool early)
    : weights_(weights),
      buckets_(std::move(buckets)),
      bucket_of_(weights.weights().size(), buckets_.size()),
      missing_(buckets_.size()),
      ready_(weights.weights().size()) {
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    const auto& bucket = buckets_[b];
    for (const auto w : bucket.weights) bucket_of_[w] = b;
    ledger_.exchanges.push_back(
        {.what = bucket.what, .bytes = (bucket.end - bucket.begin) * static_cast<int64_t>(sizeof(float))});
  }
  if (early) weights.on_gradient([this](std::size_t weight) { gradient_ready(weight); });
}

void GradientExchange::begin(const UpdateTerms& terms) {
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    missing_[b] = buckets_[b].weights.size();
    ledger_.exchanges[b].times = {};
    ledger_.exchanges[b].updated = 0;
  }
  std::fill(ready_.begin(), ready_.end(), uint8_t{0});
  reset(terms);
  started_ = 0;
  active_ = true;
  ledger_.backward_began = steady_seconds();
  ledger_.last_gradient = ledger_.backward_ended = 0;
}

void GradientExchange::gradient_ready(std::size_t weight) {
  if (!active_ || ready_[weight] || bucket_of_[weight] == buckets_.size()) return;
  ledger_.last_gradient = steady_seconds();
  take(weight);
  ready_[weight] = 1;
  --missing_[bucket_of_[weight]];
  start_full_buckets();
  for (std::size_t b = 0; b < started_; ++b) advance(b);
}

void GradientExchange::start_full_buckets() {
  while (started_ < buckets_.size() && missing_[started_] == 0) start(started_++);
}

void GradientExchange::start_rest() {
  if (!active_) return;
  ledger_.backward_ended = steady_seconds();
  active_ = false;
  for (const auto& bucket : buckets_) {
    for (const auto w : bucket.weights) {
      if (!ready_[w]) take(w);
    }
  }
  std::fill(missing_.begin(), missing_.end(), 0);
  start_full_buckets();
  all_started();
}

void GradientExchange::forget() {
  active_ = false;
  reset({});
}

void GradientExchange::finish(const std::function<void(std::size_t)>& arrived) {
  start_rest();
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    ledger_.exchanges[b].times = wait(b);
    arrived(b);
    ledger_.exchanges[b].updated = steady_seconds();
  }
  all_arrived();
}

}  // namespace tandem::distribute
