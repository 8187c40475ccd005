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
    if ((whole || !weight.constraint.empty()) && last - first < weight.count())
      throw DataError(c10::str("plan of the servers: weight '", weight.name, "' must lie on one server with ",
                               whole ? plan.optimizer : weight.constraint, ", which needs whole weights"));
    if (!weight.constraint.empty()) {
      constraints_.emplace(weights_.size(),
                           Constraint::make(weight.constraint, Config::from_json(weight.constraint_config)));
    }
    places_.push_back({first - begin, last - first});
    weight.offset -= begin;
    weights_.push_back(std::move(weight));
  }
  parameters_ = at::zeros({end - begin}, at::kFloat);
  for (std::size_t s = 0; s < optimizer_->slots().size(); ++s)
    slots_.push_back(at::full({end - begin}, optimizer_->initial_slot(s), at::kFloat));
}

bool ParameterRange::update(int64_t begin, Tensor& gradient, const std::vector<TouchedRows>& touched, int64_t iteration,
                            double rate) {
  const c10::NoGradGuard no_gradient;
  if (rate < 0) rate = optimizer_->learning_rate(iteration);
  if (optimizer_->prepares()) {
    const auto places = touched.empty() ? places_ : places_with(touched, gradient.numel());
    if (!optimizer_->prepare({gradient, slots_, places, iteration, numbers_})) return false;
  }
  if (!optimizer_->elementwise()) {
    update_weights(gradient, iteration, rate);
    project();
    return true;
  }
  if (const int64_t n = touched.empty() ? gradient.numel() : touched.front().place; n > 0) {
    Tensor parameters = parameters_.narrow(0, begin, n);
    std::vector<Tensor> slots;
    for (const auto& slot : slots_) slots.push_back(slot.narrow(0, begin, n));
    optimizer_->update(parameters, gradient.narrow(0, 0, n), slots, iteration, rate);
  }
  for (const auto& rows : touched) update_rows(rows, gradient, iteration, rate);
  project();
  return true;
}

// What the rule does to the touched rows is done to copies of them, side by side.
void ParameterRange::update_rows(const TouchedRows& touched, const Tensor& gradient, int64_t iteration, double rate) {
  const int64_t count = touched.rows.numel(), n = count * touched.elements;
  if (count == 0) return;
  const auto block = [&](const Tensor& buffer) {  // and what comes behind it
    const int64_t rows = (size() - touched.begin) / touched.elements;
    return buffer.narrow(0, touched.begin, rows * touched.elements).view({rows, touched.elements});
  };
  Tensor parameters = block(parameters_).index_select(0, touched.rows);
  std::vector<Tensor> slots;
  for (const auto& slot : slots_) slots.push_back(block(slot).index_select(0, touched.rows));
  optimizer_->update(parameters, gradient.narrow(0, touched.place, n).view({count, touched.elements}), slots, iteration,
                     rate);
  block(parameters_).index_copy_(0, touched.rows, parameters);
  for (std::size_t s = 0; s < slots.size(); ++s) block(slots_[s]).index_copy_(0, touched.rows, slots[s]);
}

std::vector<FlatPlace> ParameterRange::places_with(const std::vector<TouchedRows>& touched, int64_t elements) const {
  std::vector<FlatPlace> places;
  for (const auto& place : places_) {
    if (place.offset < touched.front().begin) places.push_back(place);
  }
  for (std::size_t i = 0; i < touched.size(); ++i) {
    const int64_t end = i + 1 < touched.size() ? touched[i + 1].place : elements;
    const bool goes_on = i > 0 && touched[i].weight == touched[i - 1].weight;
    if (!goes_on) places.push_back({touched[i].place, 0});
    places.back().count += end - touched[i].place;
  }
  return places;
}

void ParameterRange::project() {
  for (const auto& [place, constraint] : constraints_) {
    Tensor value = view_of(parameters_, weights_[place]);
    value.copy_((*constraint)(value));
  }
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
