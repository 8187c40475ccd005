#include "tandem/training/metric_set.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

namespace tandem {
namespace {

std::shared_ptr<Metric> resolve(const Handle<Metric>& handle, const Shape& y_true, const Shape& y_pred) {
  if (handle.object()) return handle.object()->replicate();
  return Metric::make_for(handle.name(), y_true, y_pred);
}

Shape shape_of(const Tensor& tensor) { return Shape::of(tensor.sizes().vec()); }

// `name` of an output with `prefix`, told apart from what `logs` holds.
std::string free_name(const Logs& logs, const std::string& prefix, const std::string& name, bool weighted) {
  std::string free = prefix + name;
  if (logs.contains(free) && weighted) free = prefix + "weighted_" + name;
  const std::string taken = free;
  for (int64_t i = 1; logs.contains(free); ++i) free = c10::str(taken, "_", i);
  return free;
}

}  // namespace

MetricSet::MetricSet(std::vector<std::vector<ShownMetric>> by_output, std::vector<std::string> prefixes,
                     int64_t replicas)
    : by_output_(std::move(by_output)), prefixes_(std::move(prefixes)), replicas_(static_cast<std::size_t>(replicas)) {}

MetricSet::Metrics MetricSet::make(const std::vector<Seen>& seen) const {
  Metrics metrics;
  for (std::size_t i = 0; i < by_output_.size(); ++i) {
    auto& own = metrics.emplace_back();
    for (const auto& shown : by_output_[i]) own.push_back(resolve(shown.metric, seen[i].y_true, seen[i].y_pred));
  }
  return metrics;
}

void MetricSet::update(int64_t rank, const data::Batch& rows, const Tensors& outputs, const Tensors& logits) {
  auto& replica = replicas_[static_cast<std::size_t>(rank)];
  auto& metrics = replica.metrics;
  if (metrics.empty()) {
    for (std::size_t i = 0; i < by_output_.size(); ++i) {
      const auto output = static_cast<int64_t>(i);
      if (by_output_[i].empty()) {
        replica.seen.emplace_back();
      } else {
        replica.seen.push_back({shape_of(rows.y[output]), shape_of(outputs[output])});
      }
    }
    metrics = make(replica.seen);
  }
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const auto output = static_cast<int64_t>(i);
    const Tensor& y = rows.y[output];
    const Tensor prediction = outputs[output].detach();
    const Tensor behind = output < logits.size() && logits[output].defined() ? logits[output].detach() : Tensor();
    for (std::size_t j = 0; j < metrics[i].size(); ++j) {
      const Tensor weights = by_output_[i][j].weighted ? rows.weights_of(output) : Tensor();
      auto& metric = *metrics[i][j];
      if (behind.defined() && metric.prefers_logits()) {
        metric.update_with_logits(y, prediction, behind, weights);
      } else {
        metric.update(y, prediction, weights);
      }
    }
  }
}

MetricSet::Metrics MetricSet::sum(const std::vector<Replica>& replicas) const {
  Metrics sums;
  for (const auto& replica : replicas) {
    if (replica.metrics.empty()) continue;
    if (sums.empty()) sums = make(replica.seen);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      for (std::size_t j = 0; j < sums[i].size(); ++j) sums[i][j]->merge(*replica.metrics[i][j]);
    }
  }
  return sums;
}

void MetricSet::results(Logs& logs) const { show(logs, sum(replicas_)); }

void MetricSet::results(Logs& logs, const Gather& gather) const {
  distribute::PeerMessage own;
  for (const auto& replica : replicas_) put(replica, own);
  std::vector<Replica> all;
  for (auto& message : gather(own)) {
    for (std::size_t r = 0; r < replicas_.size(); ++r) all.push_back(take(message));
  }
  show(logs, sum(all));
}

void MetricSet::show(Logs& logs, const Metrics& sums) const {
  // The unweighted ones first: they keep the plain names.
  for (const bool weighted : {false, true}) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      for (std::size_t j = 0; j < sums[i].size(); ++j) {
        if (by_output_[i][j].weighted != weighted) continue;
        logs.set(free_name(logs, prefixes_[i], sums[i][j]->name(), weighted), sums[i][j]->result());
      }
    }
  }
}

bool MetricSet::empty() const {
  return std::all_of(by_output_.begin(), by_output_.end(), [](const auto& metrics) { return metrics.empty(); });
}

void MetricSet::reset() {
  for (auto& replica : replicas_) {
    for (auto& own : replica.metrics) {
      for (auto& metric : own) metric->reset();
    }
  }
}

}  // namespace tandem
