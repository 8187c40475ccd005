#include "tandem/distribution/flat_weights.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "tandem/core/error.h"

namespace tandem::distribute {
namespace {

constexpr int64_t kAlignment = 16;  // float32 elements in a cache line

}  // namespace

FlatWeights::FlatWeights(const std::vector<Weight>& weights) : weights_(weights) {
  int64_t size = 0;
  for (const auto& w : weights_) {
    if (!w.variable().value.is_non_overlapping_and_dense())
      throw InternalError("weight '" + w.name() + "': must be dense in memory");
    places_.push_back({size, w.shape().count()});
    size += (w.shape().count() + kAlignment - 1) / kAlignment * kAlignment;
  }
  parameters_ = at::zeros({size}, at::kFloat);
  gradients_ = at::zeros({size}, at::kFloat);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    values_.push_back(view(parameters_, i).detach().set_requires_grad(true));
    gradient_views_.push_back(view(gradients_, i));
    values_.back().mutable_grad() = gradient_views_.back();
  }
}

Tensor FlatWeights::view(const Tensor& buffer, std::size_t i) const {
  const auto& master = weights_[i].variable().value;
  return buffer.as_strided(master.sizes(), master.strides(), buffer.storage_offset() + places_[i].offset);
}

void FlatWeights::add_to(WeightMap& map) const {
  for (std::size_t i = 0; i < weights_.size(); ++i) map[&weights_[i].variable()] = values_[i];
}

void FlatWeights::load() {
  c10::NoGradGuard no_grad;
  for (std::size_t i = 0; i < weights_.size(); ++i) view(parameters_, i).copy_(weights_[i].variable().value);
}

void FlatWeights::store() const {
  c10::NoGradGuard no_grad;
  for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i].variable().value.copy_(view(parameters_, i));
}

void FlatWeights::zero_gradients() {
  gradients_.zero_();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!values_[i].grad().is_same(gradient_views_[i])) values_[i].mutable_grad() = gradient_views_[i];
  }
}

void FlatWeights::gather_gradients() {
  c10::NoGradGuard no_grad;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const auto& gradient = values_[i].grad();
    if (gradient.defined() && !gradient.is_same(gradient_views_[i])) gradient_views_[i].copy_(gradient);
  }
}

}  // namespace tandem::distribute
