#include "tandem/distribution/placed_weights.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

namespace tandem::distribute {

PlacedWeights::PlacedWeights(std::vector<Weight> weights, std::size_t devices)
    : weights_(std::move(weights)), maps_(devices), leaves_(devices) {}

void PlacedWeights::follow(const WeightMap& replica) {
  std::vector<const void*> now;
  for (const auto& w : weights_) {
    const auto found = replica.find(&w.variable());
    now.push_back(found == replica.end() ? nullptr : found->second.unsafeGetTensorImpl());
  }
  if (now == followed_) return;
  followed_ = std::move(now);
  trained_.clear();
  for (auto& leaves : leaves_) leaves.clear();
  for (auto& map : maps_) map.clear();
  for (const auto& w : weights_) {
    const auto found = replica.find(&w.variable());
    if (found == replica.end()) continue;
    const Tensor& own = found->second;
    if (own.requires_grad()) trained_.push_back(own);
    for (std::size_t d = 0; d < maps_.size(); ++d) {
      Tensor& tensor = maps_[d][&w.variable()] = own;
      if (!own.requires_grad()) continue;
      tensor = own.detach().set_requires_grad(true);
      leaves_[d].push_back(tensor);
    }
  }
}

std::vector<Tensor> PlacedWeights::take_gradients() {
  c10::NoGradGuard no_grad;
  std::vector<Tensor> sums(trained_.size());
  for (const auto& leaves : leaves_) {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      Tensor gradient = leaves[i].grad();
      if (!gradient.defined()) continue;
      leaves[i].mutable_grad() = Tensor();
      if (gradient.use_count() > 1) {  // a LibTorch module goes on adding to it
        leaves[i].mutable_grad() = gradient;
        gradient = gradient.clone();
        leaves[i].mutable_grad().zero_();
      }
      sums[i] = sums[i].defined() ? sums[i].add_(gradient) : gradient;
    }
  }
  return sums;
}

}  // namespace tandem::distribute
