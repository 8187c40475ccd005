#include "tandem/training/metric_set.h"

#include <ATen/ATen.h>

namespace tandem {
namespace {

std::shared_ptr<Metric> resolve(const Handle<Metric>& handle, const Tensor& y_true, const Tensor& y_pred) {
  if (handle.object()) return handle.object()->replicate();
  return Metric::make_for(handle.name(), Shape::of(y_true.sizes().vec()), Shape::of(y_pred.sizes().vec()));
}

}  // namespace

MetricSet::MetricSet(std::vector<std::vector<Handle<Metric>>> by_output, std::vector<std::string> prefixes, int64_t replicas)
    : by_output_(std::move(by_output)), prefixes_(std::move(prefixes)), replicas_(static_cast<std::size_t>(replicas)) {}

void MetricSet::update(int64_t rank, const data::Batch& rows, const Tensors& outputs) {
  auto& metrics = replicas_[static_cast<std::size_t>(rank)];
  if (metrics.empty()) {
    for (std::size_t i = 0; i < by_output_.size(); ++i) {
      auto& own = metrics.emplace_back();
      for (const auto& handle : by_output_[i]) {
        own.push_back(resolve(handle, rows.y[static_cast<int64_t>(i)], outputs[static_cast<int64_t>(i)]));
      }
    }
  }
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    for (const auto& metric : metrics[i]) {
      // Keras's `metrics` leave sample weights out; `weighted_metrics` would take them.
      metric->update(rows.y[static_cast<int64_t>(i)], outputs[static_cast<int64_t>(i)].detach(), Tensor());
    }
  }
}

void MetricSet::results(Logs& logs) const {
  const Metrics* first = nullptr;
  for (const auto& metrics : replicas_) {
    if (!metrics.empty() && !first) first = &metrics;
  }
  if (!first) return;
  for (std::size_t i = 0; i < first->size(); ++i) {
    for (std::size_t j = 0; j < (*first)[i].size(); ++j) {
      const auto sum = (*first)[i][j]->replicate();
      for (const auto& metrics : replicas_) {
        if (!metrics.empty()) sum->merge(*metrics[i][j]);
      }
      logs.set(prefixes_[i] + (*first)[i][j]->name(), sum->result());
    }
  }
}

void MetricSet::reset() {
  for (auto& metrics : replicas_) {
    for (auto& own : metrics) {
      for (auto& metric : own) metric->reset();
    }
  }
}

}  // namespace tandem
