// Replicated: what differs by rank and is brought together.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <numeric>

#include "tandem/distribution/replicated.h"

namespace tandem::distribute {

// Statistics of the whole batch are the same on every rank that had rows; the others take them over.
void Replicated::share_statistics(const std::vector<int64_t>& edge, int64_t from) {
  c10::NoGradGuard no_grad;
  for (const auto& w : statistics_) {
    if (!w.variable().of_whole_batch && !(how_.host && how_.host->computes(w))) continue;
    const bool is_here = from >= first_ && from < first_ + ranks();
    Tensor value = is_here ? on_host(static_cast<std::size_t>(from - first_), w) : at::empty_like(w.variable().value);
    if (peers_) peers_->take_from(value, from / ranks());
    for (std::size_t r = 0; r < replicas_.size(); ++r) {
      const auto rank = static_cast<std::size_t>(first_) + r;
      if (edge[rank] == edge[rank + 1]) set_own(r, w, value);
    }
  }
}

std::vector<double> Replicated::by_rank(std::vector<double> own) {
  if (!peers_ || parted_) return own;
  PeerMessage message;
  message.put(own);
  own.clear();
  for (auto& its : peers_->gather(message, numbers_topic_)) {
    const auto numbers = its.numbers();
    own.insert(own.end(), numbers.begin(), numbers.end());
  }
  return own;
}

std::vector<Tensor> Replicated::by_rank(const Weight& w) {
  std::vector<Tensor> values;
  for (std::size_t r = 0; r < replicas_.size(); ++r) values.push_back(on_host(r, w));
  if (!peers_ || parted_) return values;
  const Tensor whole =
      peers_->join_rows(at::stack(values), std::vector<int64_t>(static_cast<std::size_t>(peers_->count()), ranks()));
  return whole.unbind();
}

void Replicated::average_statistics() {
  if (statistics_.empty()) return;
  std::vector<double> counted;
  for (const auto& replica : replicas_) counted.push_back(static_cast<double>(replica->rows_since_store));
  const auto rows = by_rank(std::move(counted));
  const double all = std::accumulate(rows.begin(), rows.end(), 0.0);
  if (all == 0) return;
  for (const auto& w : statistics_) {
    const auto values = by_rank(w);
    const Tensor& mean = values.front();
    if (!mean.is_floating_point()) {  // a count of steps, say: every replica counts alike
      w.variable().value.copy_(mean);
      continue;
    }
    // As first + sum of weighted differences: statistics that are equal everywhere stay the same bits.
    const Tensor first = mean.clone();
    for (std::size_t r = 1; r < values.size(); ++r) mean.add_(values[r] - first, rows[r] / all);
    for (std::size_t r = 0; r < replicas_.size(); ++r) {
      if (!replicas_[r]->own(w).is_same(mean)) set_own(r, w, mean);
    }
    w.variable().value.copy_(mean);
  }
  for (auto& replica : replicas_) replica->rows_since_store = 0;
}

void Replicated::average_parameters() {
  if (updates_apart_ == 0 || parted_) return;
  std::vector<double> counted;
  for (const auto& replica : replicas_) counted.push_back(static_cast<double>(replica->rows_since_average));
  const auto by_rows = by_rank(std::move(counted));
  const double rows = std::accumulate(by_rows.begin(), by_rows.end(), 0.0);
  run([&](int64_t rank, Replica& replica) {
    c10::NoGradGuard no_grad;
    Tensor& own = replica.trainable.parameters();
    own.mul_(static_cast<double>(replica.rows_since_average) / rows);
    communicator(rank).all_reduce(own, {.algorithm = how_.algorithm, .what = "average of the parameters"});
    replica.rows_since_average = 0;
  });
  updates_apart_ = 0;
}

}  // namespace tandem::distribute
