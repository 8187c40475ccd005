#include "tandem/training/metric_set.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

namespace tandem {
namespace {

std::shared_ptr<Metric> resolve(const Handle<Metric>& handle, const Tensor& y_true, const Tensor& y_pred) {
  if (handle.object()) return handle.object()->replicate();
  return Metric::make_for(handle.name(), Shape::of(y_true.sizes().vec()), Shape::of(y_pred.sizes().vec()));
}

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

void MetricSet::update(int64_t rank, const data::Batch& rows, const Tensors& outputs, const Tensors& logits) {
  auto& metrics = replicas_[static_cast<std::size_t>(rank)];
  if (metrics.empty()) {
    for (std::size_t i = 0; i < by_output_.size(); ++i) {
      auto& own = metrics.emplace_back();
      for (const auto& shown : by_output_[i]) {
        own.push_back(resolve(shown.metric, rows.y[static_cast<int64_t>(i)], outputs[static_cast<int64_t>(i)]));
      }
    }
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

void MetricSet::results(Logs& logs) const {
  const Metrics* first = nullptr;
  for (const auto& metrics : replicas_) {
    if (!metrics.empty() && !first) first = &metrics;
  }
  if (!first) return;
  struct Result {
    std::size_t output;
    std::string name;
    bool weighted;
    double value;
  };
  std::vector<Result> results;
  for (std::size_t i = 0; i < first->size(); ++i) {
    for (std::size_t j = 0; j < (*first)[i].size(); ++j) {
      const auto sum = (*first)[i][j]->replicate();
      for (const auto& metrics : replicas_) {
        if (!metrics.empty()) sum->merge(*metrics[i][j]);
      }
      results.push_back({i, (*first)[i][j]->name(), by_output_[i][j].weighted, sum->result()});
    }
  }
  // The unweighted ones first: they keep the plain names.
  for (const bool weighted : {false, true}) {
    for (const auto& r : results) {
      if (r.weighted == weighted) logs.set(free_name(logs, prefixes_[r.output], r.name, weighted), r.value);
    }
  }
}

bool MetricSet::empty() const {
  return std::all_of(by_output_.begin(), by_output_.end(), [](const auto& metrics) { return metrics.empty(); });
}

void MetricSet::reset() {
  for (auto& metrics : replicas_) {
    for (auto& own : metrics) {
      for (auto& metric : own) metric->reset();
    }
  }
}

}  // namespace tandem
