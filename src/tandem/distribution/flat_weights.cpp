#include "tandem/distribution/flat_weights.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <numeric>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/distribution/gradient_hooks.h"

namespace tandem::distribute {
namespace {

constexpr int64_t kAlignment = 16;  // float32 elements in a cache line

int64_t rounded_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

}  // namespace

FlatWeights::FlatWeights(const std::vector<Weight>& weights, const std::vector<std::size_t>& order, c10::Device device,
                         const FlatMemory& memory)
    : weights_(weights), places_(weights.size()) {
  std::vector<std::size_t> ordered = order;
  if (ordered.empty()) {
    ordered.resize(weights_.size());
    std::iota(ordered.begin(), ordered.end(), 0);
  }
  for (const auto i : ordered) {
    const auto& w = weights_[i];
    if (!w.variable().value.is_non_overlapping_and_dense())
      throw InternalError("weight '" + w.name() + "': must be dense in memory");
    places_[i] = {elements_, w.shape().count()};
    elements_ += rounded_up(w.shape().count(), kAlignment);
  }
  elements_ = rounded_up(elements_, memory.parts * kAlignment);
  const auto options = at::TensorOptions(device).dtype(at::kFloat);
  if (memory.gradients) gradients_ = at::zeros({elements_}, options);
  if (!memory.parameters) return;
  parameters_ = at::zeros({elements_}, options);
  make_leaves();
}

FlatWeights FlatWeights::beside(const FlatWeights& other) {
  FlatWeights own = other;
  own.values_.clear();
  own.gradient_views_.clear();
  own.gradients_ = at::zeros_like(own.parameters_);
  own.make_leaves();
  return own;
}

void FlatWeights::make_leaves() {
  std::vector<Tensor> values;
  for (std::size_t i = 0; i < weights_.size(); ++i) values.push_back(view(parameters_, i).detach());
  place_values(std::move(values));
}

void FlatWeights::place_values(std::vector<Tensor> values) {
  values_ = std::move(values);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    values_[i].set_requires_grad(true);
    if (!keeps_gradients()) continue;
    gradient_views_.push_back(view(gradients_, i));
    values_[i].mutable_grad() = gradient_views_[i];
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
  if (!keeps_gradients()) {
    for (auto& value : values_) {  // in place: a module's tensors may have the same one
      if (value.grad().defined()) value.mutable_grad().zero_();
    }
    return;
  }
  gradients_.zero_();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!values_[i].grad().is_same(gradient_views_[i])) values_[i].mutable_grad() = gradient_views_[i];
  }
}

void FlatWeights::gather_gradient(std::size_t i) {
  const auto& gradient = values_[i].grad();
  if (!gradient.defined() || gradient.is_same(gradient_views_[i])) return;
  c10::NoGradGuard no_grad;
  gradient_views_[i].copy_(gradient);
}

Tensor FlatWeights::take_gradient(std::size_t i) { return std::exchange(values_[i].mutable_grad(), Tensor()); }

void FlatWeights::gather_gradients() {
  for (std::size_t i = 0; i < values_.size(); ++i) gather_gradient(i);
}

void FlatWeights::on_gradient(std::function<void(std::size_t)> ready) { on_gradients(values_, std::move(ready)); }

}  // namespace tandem::distribute
