#include "tandem/distribution/placed_weights.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/distribution/storage_bytes.h"

namespace tandem::distribute {

PlacedWeights::PlacedWeights(std::vector<Weight> weights, std::vector<c10::Device> devices)
    : weights_(std::move(weights)),
      devices_(std::move(devices)),
      needed_(devices_.size()),
      maps_(devices_.size()),
      leaves_(devices_.size()) {}

void PlacedWeights::need(std::size_t device, const Weight& weight) {
  if (!needed_[device].insert(&weight.variable()).second) return;
  followed_.clear();
  for (std::size_t d = 0; d < devices_.size() && !weight.trainable(); ++d) {
    if (devices_[d] == devices_[device] || !needed_[d].contains(&weight.variable())) continue;
    throw InvalidArgument(c10::str("weight '", weight.name(),
                                   "': a layer with statistics must be called on one device,",
                                   " or on CPU devices, got calls on ", devices_[d], " and ", devices_[device]));
  }
}

void PlacedWeights::follow(const WeightMap& replica) {
  std::vector<const void*> now;
  for (const auto& w : weights_) {
    const auto found = replica.find(&w.variable());
    now.push_back(found == replica.end() ? nullptr : found->second.unsafeGetTensorImpl());
  }
  if (now == followed_) return refresh();
  followed_ = std::move(now);
  trained_.clear();
  copies_.clear();
  for (auto& leaves : leaves_) leaves.clear();
  for (auto& map : maps_) map.clear();
  for (const auto& w : weights_) {
    const auto found = replica.find(&w.variable());
    if (found == replica.end()) continue;
    const Tensor& own = found->second;
    if (own.requires_grad()) trained_.push_back(own);
    for (std::size_t d = 0; d < maps_.size(); ++d) place(w, own, d);
  }
  refresh();
}

void PlacedWeights::place(const Weight& weight, const Tensor& own, std::size_t device) {
  Tensor here;
  if (own.device() == devices_[device]) {
    here = own.requires_grad() ? own.detach() : own;
  } else if (needed_[device].contains(&weight.variable())) {
    here = at::empty_strided(own.sizes(), own.strides(), own.options().device(devices_[device]));
    copies_.push_back({.from = own.detach(), .to = here, .changes = here._version()});
  }
  if (own.requires_grad()) {
    if (here.defined()) here.set_requires_grad(true);
    leaves_[device].push_back(here);
  }
  if (here.defined()) maps_[device][&weight.variable()] = here;
}

int64_t PlacedWeights::bytes_of_copies(std::size_t device) const {
  StorageBytes all;
  for (const auto& copy : copies_) {
    if (copy.to.device() == devices_[device]) all.add(copy.to);
  }
  return all.bytes();
}

// Updates on a CPU are not counted by LibTorch, so all are copied. Past autograd: a graph that backward has not gone
// through may hold a copy.
void PlacedWeights::refresh() {
  for (auto& copy : copies_) copy.to.variable_data().copy_(copy.from);
}

void PlacedWeights::keep_statistics() {
  const c10::NoGradGuard no_grad;
  for (auto& copy : copies_) {
    if (copy.to.requires_grad() || copy.changes == copy.to._version()) continue;
    copy.from.copy_(copy.to);
    copy.changes = copy.to._version();
  }
}

std::vector<Tensor> PlacedWeights::take_gradients() {
  c10::NoGradGuard no_grad;
  std::vector<Tensor> sums(trained_.size());
  for (const auto& leaves : leaves_) {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      Tensor gradient = leaves[i].defined() ? leaves[i].grad() : Tensor();
      if (!gradient.defined()) continue;
      leaves[i].mutable_grad() = Tensor();
      if (gradient.use_count() > 1) {  // a LibTorch module goes on adding to it
        leaves[i].mutable_grad() = gradient;
        gradient = gradient.clone();
        leaves[i].mutable_grad().zero_();
      }
      gradient = gradient.to(trained_[i].device());
      sums[i] = sums[i].defined() ? sums[i].add_(gradient) : gradient;
    }
  }
  return sums;
}

}  // namespace tandem::distribute
