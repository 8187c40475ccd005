#include "tandem/servers/parameter_range.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem::servers {

Tensor view_of(const Tensor& buffer, const PlannedWeight& weight) {
  if (weight.strides.empty()) return buffer.narrow(0, weight.offset, weight.count()).view(weight.shape);
  return buffer.as_strided(weight.shape, weight.strides, weight.offset + buffer.storage_offset());
}

ParameterRange::ParameterRange(const ServerPlan& plan, int64_t server)
    : optimizer_(make_optimizer(plan)), numbers_(optimizer_->initial_numbers()) {
  const int64_t begin = plan.server_begin(server), end = plan.server_begin(server + 1);
  const bool whole = !optimizer_->elementwise() || optimizer_->clipping().clipnorm > 0;
  for (auto weight : plan.weights) {
    const int64_t first = std::max(weight.offset, begin), last = std::min(weight.offset + weight.count(), end);
    if (first >= last) continue;
    if (whole && last - first < weight.count())
      throw DataError(c10::str("plan of the servers: weight '", weight.name, "' must lie on one server with ",
                               plan.optimizer, ", which needs whole weights"));
    places_.push_back({first - begin, last - first});
    weight.offset -= begin;
    weights_.push_back(std::move(weight));
  }
  parameters_ = at::zeros({end - begin}, at::kFloat);
  for (std::size_t s = 0; s < optimizer_->slots().size(); ++s)
    slots_.push_back(at::full({end - begin}, optimizer_->initial_slot(s), at::kFloat));
}

bool ParameterRange::update(int64_t begin, Tensor& gradient, int64_t iteration, double rate) {
  const c10::NoGradGuard no_gradient;
  if (rate < 0) rate = optimizer_->learning_rate(iteration);
  if (optimizer_->prepares() && !optimizer_->prepare({gradient, slots_, places_, iteration, numbers_})) return false;
  if (!optimizer_->elementwise()) {
    update_weights(gradient, iteration, rate);
    return true;
  }
  const int64_t n = gradient.numel();
  Tensor parameters = parameters_.narrow(0, begin, n);
  std::vector<Tensor> slots;
  for (const auto& slot : slots_) slots.push_back(slot.narrow(0, begin, n));
  optimizer_->update(parameters, gradient, slots, iteration, rate);
  return true;
}

void ParameterRange::update_weights(Tensor& gradient, int64_t iteration, double rate) {
  for (const auto& weight : weights_) {
    Tensor value = view_of(parameters_, weight);
    std::vector<Tensor> slots;
    for (const auto& slot : slots_) slots.push_back(view_of(slot, weight));
    optimizer_->update(value, view_of(gradient, weight), slots, iteration, rate);
  }
}

void ParameterRange::set(const std::vector<double>& numbers, const std::vector<Tensor>& slots) {
  const bool fit = std::all_of(slots.begin(), slots.end(), [&](const Tensor& slot) { return slot.numel() == size(); });
  if (numbers.size() != numbers_.size() || slots.size() != slots_.size() || !fit)
    throw DataError(c10::str("state of ", optimizer_->class_name(), " on a server: must be ", numbers_.size(),
                             " numbers and ", slots_.size(), " slots of ", size(), " elements, got ", numbers.size(),
                             " numbers and ", slots.size(), " slots"));
  numbers_ = numbers;
  for (std::size_t s = 0; s < slots.size(); ++s) slots_[s].copy_(slots[s]);
}

}  // namespace tandem::servers
