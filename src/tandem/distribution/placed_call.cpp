#include "tandem/distribution/placed_call.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>
#include <torch/csrc/autograd/autograd.h>

#include "tandem/core/error.h"
#include "tandem/core/mask.h"

namespace tandem::distribute {

PlacedCall::PlacedCall(PlacedDevices& devices, const DividedGraph& divided, const std::vector<Tensor>& inputs,
                       const CallContext& context, bool differentiable)
    : devices_(devices),
      divided_(divided),
      context_(context),
      differentiable_(differentiable),
      values_(divided.values),
      outside_(divided.values),
      maker_(divided.values, divided.segments.size()),
      readers_(divided.values),
      runs_(divided.segments.size()) {
  context_.placed = nullptr;
  for (std::size_t i = 0; i < inputs.size(); ++i) values_[divided.inputs[i]] = inputs[i];
  for (std::size_t s = 0; s < divided.segments.size(); ++s) {
    const auto& segment = divided.segments[s];
    for (const auto& [inner, number] : segment.writes) maker_[number] = s;
    for (std::size_t k = 0; k < segment.reads.size(); ++k) readers_[segment.reads[k]].emplace_back(s, k);
  }
}

void PlacedCall::run(bool backward) {
  devices_.run(divided_, backward, context_.training, [&](std::size_t s) {
    const at::ThreadLocalStateGuard state(state_);
    const c10::AutoGradMode gradients(differentiable_ && !backward);
    return backward ? backward_segment(s) : forward_segment(s);
  });
}

void PlacedCall::forward() {
  run(false);
  find_results();
}

void PlacedCall::forward_segment(std::size_t s) {
  const auto& segment = divided_.segments[s];
  auto& own = runs_[s];
  CallContext context = context_;
  if (context.logits) context.logits = &own.logits;
  if (context.added_losses) context.added_losses = &own.losses;
  context.trace = context.trace ? devices_.trace(segment.place, context.trace) : nullptr;
  const WeightScope weights(devices_.weights().of(segment.place));
  const CallScope scope(context);
  std::vector<Tensor> given;
  for (auto number : segment.reads) {
    const Tensor& value = values_[number];
    if (maker_[number] < runs_.size())
      devices_.note_sent(divided_.segments[maker_[number]].place, segment.place, value);
    given.push_back(with_mask_of(value, value.detach().to(devices_.memory(segment.place))));
    if (differentiable_ && value.requires_grad()) given.back().set_requires_grad(true);
  }
  if (differentiable_) own.leaves = given;
  auto written = segment.run(std::move(given), context);
  for (std::size_t k = 0; k < written.size(); ++k) values_[segment.writes[k].second] = written[k];
  if (differentiable_) own.written = std::move(written);
}

void PlacedCall::find_results() {
  for (std::size_t i = 0; i < divided_.outputs.size(); ++i) {
    const auto number = divided_.outputs[i];
    if (maker_[number] == runs_.size()) continue;
    made_outputs_.push_back(i);
    if (context_.logits && runs_[maker_[number]].logits.find(values_[number]).defined()) logits_of_.push_back(i);
  }
}

std::vector<Tensor> PlacedCall::results() const {
  std::vector<Tensor> results;
  const auto add = [&](const Tensor& value) {
    results.push_back(with_mask_of(value, value.detach().to(devices_.memory(0))));
  };
  for (auto i : made_outputs_) add(values_[divided_.outputs[i]]);
  for (auto i : logits_of_) {
    const auto number = divided_.outputs[i];
    add(runs_[maker_[number]].logits.find(values_[number]));
  }
  for (const auto& run : runs_) {
    for (const auto& loss : run.losses.losses()) add(loss);
  }
  return results;
}

std::vector<Tensor> PlacedCall::backward(const std::vector<Tensor>& gradients) {
  if (std::exchange(spent_, true)) {
    throw InvalidArgument("backward: must go once through a model whose layers are placed on several devices");
  }
  std::size_t next = 0;
  for (auto i : made_outputs_) {
    auto& outside = outside_[divided_.outputs[i]];
    const auto& gradient = gradients[next++];
    if (gradient.defined()) outside = outside.defined() ? outside + gradient : gradient;
  }
  for (auto i : logits_of_) {
    const auto number = divided_.outputs[i];
    auto& maker = runs_[maker_[number]];
    maker.roots.emplace_back(maker.logits.find(values_[number]), gradients[next++]);
  }
  for (auto& run : runs_) {
    for (const auto& loss : run.losses.losses()) run.roots.emplace_back(loss, gradients[next++]);
  }
  run(true);
  std::vector<Tensor> of_inputs;
  for (auto number : divided_.inputs) of_inputs.push_back(gradient_of(number, 0));
  return of_inputs;
}

// Added up in the order of the segments that read the value, whatever the order in which they ended.
Tensor PlacedCall::gradient_of(std::size_t value, std::size_t place) const {
  const auto here = devices_.memory(place);
  Tensor sum = outside_[value].defined() ? outside_[value].to(here) : Tensor();
  for (const auto& [reader, k] : readers_[value]) {
    if (!runs_[reader].gradients[k].defined()) continue;
    const Tensor gradient = runs_[reader].gradients[k].to(here);
    if (maker_[value] < runs_.size()) devices_.note_sent(divided_.segments[reader].place, place, gradient);
    sum = sum.defined() ? sum + gradient : gradient;
  }
  return sum;
}

void PlacedCall::backward_segment(std::size_t s) {
  const auto& segment = divided_.segments[s];
  auto& own = runs_[s];
  own.gradients.resize(own.leaves.size());
  std::vector<Tensor> roots, gradients;
  const auto add = [&](const Tensor& root, const Tensor& gradient) {
    if (!root.requires_grad() || !gradient.defined()) return;
    roots.push_back(root);
    gradients.push_back(gradient.to(root.device()));
  };
  for (std::size_t k = 0; k < own.written.size(); ++k)
    add(own.written[k], gradient_of(segment.writes[k].second, segment.place));
  for (const auto& [root, gradient] : own.roots) add(root, gradient);
  if (!roots.empty()) {
    torch::autograd::backward(roots, gradients);
    for (std::size_t k = 0; k < own.leaves.size(); ++k) own.gradients[k] = own.leaves[k].grad();
  }
  // What the segment kept for backward goes on the thread that made it.
  own.leaves.clear();
  own.written.clear();
  own.roots.clear();
  own.logits = {};
  own.losses = {};
  for (const auto& [inner, number] : segment.writes) values_[number] = Tensor();
}

}  // namespace tandem::distribute
