// A stage of a pipeline: forward and backward of one part on one micro batch, and what goes between parts.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/core/mask.h"
#include "tandem/core/steady_seconds.h"
#include "tandem/distribution/pipeline_stage.h"

namespace tandem::distribute {
namespace {

// Of a loss of which the whole one is `factor` times as much: infinite where that is beyond its type.
Tensor gradient_of(const Tensor& loss, double factor) {
  return at::full_like(loss, factor, loss.options().dtype(at::kDouble)).to(loss.scalar_type());
}

// A value as the part after is given it.
StageLink::Value handed_on(const Tensor& value, bool requires_grad) {
  return {with_mask_of(value, value.detach()), requires_grad};
}

}  // namespace

int64_t PipelineStage::tag_of(std::size_t number, std::size_t reader, int64_t micro_batch, bool gradient) const {
  const auto parts = static_cast<int64_t>(plan_.cut.segments.size());
  const int64_t value = static_cast<int64_t>(number) * parts + static_cast<int64_t>(reader);
  return (value * plan_.division.micro_batches + micro_batch) * 2 + (gradient ? 1 : 0);
}

const Tensor& PipelineStage::input_for(std::size_t number, int64_t m) const {
  const auto& inputs = plan_.cut.inputs;
  return micro_[m].x[std::find(inputs.begin(), inputs.end(), number) - inputs.begin()];
}

void PipelineStage::receive_activations(std::size_t part, int64_t m) {
  for (const auto number : plan_.cut.segments[part].reads) {
    const auto maker = plan_.maker[number];
    if (maker == plan_.cut.segments.size() || is_mine(maker)) continue;
    values_[{number, part, m}] = link_.receive(plan_.stage_of(maker), tag_of(number, part, m, false));
  }
}

void PipelineStage::forward(const Pass& pass, std::size_t part, int64_t m) {
  const double start = steady_seconds(), away_before = seconds_away();
  Run& run = runs_[{part, m}];
  for (const auto number : plan_.cut.segments[part].reads) {
    const auto came = values_.find({number, part, m});
    if (came == values_.end()) {
      run.given.push_back(input_for(number, m));
      continue;
    }
    run.given.push_back(came->second.tensor.set_requires_grad(pass.training && came->second.requires_grad));
    values_.erase(came);
  }
  // The last part goes back at once, so that computing it again would save nothing.
  const bool keeps = pass.training && (!plan_.recompute || is_last(part));
  statistics_.begin_part(part);
  run_part(pass, part, m, run, keeps, false);
  computing_ += steady_seconds() - start - (seconds_away() - away_before);  // its weights may have come from others
}

void PipelineStage::run_part(const Pass& pass, std::size_t part, int64_t m, Run& run, bool differentiable, bool again) {
  const c10::AutoGradMode gradients(differentiable);
  AddedMetrics metrics;
  BatchStatistics counted_before;  // what a second forward sees of the batch counted the first time
  run.losses = {};
  run.logits = {};
  const CallContext context{.training = pass.training,
                            .random = pass.random,
                            .first_row = micro_.first_row(m),
                            .logits = &run.logits,
                            .added_losses = pass.observer ? &run.losses : nullptr,
                            .added_metrics = pass.observer && !again ? &metrics : nullptr,
                            .trace = replica_.watched(),
                            .statistics = !pass.training ? nullptr
                                          : again        ? &counted_before
                                                         : &statistics_};
  const CallScope scope(context);
  run.leaves.clear();
  for (const auto& value : run.given)
    run.leaves.push_back(with_mask_of(value, value.detach().set_requires_grad(value.requires_grad())));
  run.written = plan_.cut.segments[part].run(run.leaves, context);
  if (const auto* gathered = replica_.gathered()) {
    for (auto& value : run.written) {
      if (gathered->holds(value)) value = with_mask_of(value, value.clone());  // whose memory will be another's
    }
  }
  if (is_last(part)) end_of_model(pass, m, run);
  if (again) return;
  for (const auto& loss : run.losses.losses()) {
    if (loss.numel() != 1)
      throw InvalidArgument(c10::str("add_loss: must get a scalar, got ", Shape::of(loss.sizes().vec())));
    loss_ += loss.item<double>() * micro_.share(m);
  }
  for (const auto& [name, mean] : metrics.means()) reported_[name] += mean.item<double>() * micro_.share(m);
}

void PipelineStage::send_activations(std::size_t part, int64_t m) {
  const auto& segment = plan_.cut.segments[part];
  const Run& run = runs_.at({part, m});
  for (std::size_t k = 0; k < segment.writes.size(); ++k) {
    const auto number = segment.writes[k].second;
    // A forward that kept nothing has no history to ask.
    const Tensor& value = run.written[k];
    const bool requires_grad = value.requires_grad() || (plan_.recompute && value.is_floating_point());
    for (const auto reader : plan_.readers[number]) {
      auto handed = handed_on(value, requires_grad);
      if (is_mine(reader)) {
        values_[{number, reader, m}] = std::move(handed);
        continue;
      }
      handed.tensor.set_requires_grad(requires_grad);
      link_.send(handed.tensor, plan_.stage_of(reader), tag_of(number, reader, m, false));
    }
  }
}

void PipelineStage::receive_gradients(std::size_t part, int64_t m) {
  const auto& segment = plan_.cut.segments[part];
  const Run& run = runs_.at({part, m});
  for (std::size_t k = 0; k < segment.writes.size(); ++k) {
    const auto number = segment.writes[k].second;
    if (!run.written[k].requires_grad() && !(plan_.recompute && run.written[k].is_floating_point())) continue;
    for (const auto reader : plan_.readers[number]) {
      if (is_mine(reader)) continue;
      gradients_[{number, reader, m}] = link_.receive(plan_.stage_of(reader), tag_of(number, reader, m, true)).tensor;
    }
  }
}

void PipelineStage::backward(const Pass& pass, std::size_t part, int64_t m) {
  if (is_last(part) && plan_.counts_late) settle_counts();
  const double start = steady_seconds(), away_before = seconds_away();
  const auto& segment = plan_.cut.segments[part];
  Run& run = runs_.at({part, m});
  if (is_last(part) && plan_.counts_late) {
    const c10::AutoGradMode gradients(true);
    run.loss = take_loss(sums_.at(m), counts_);
    sums_.erase(m);
  }
  if (plan_.recompute && !is_last(part)) run_part(pass, part, m, run, true, true);
  std::vector<Tensor> roots, gradients;
  const auto add = [&](const Tensor& root, const Tensor& gradient) {
    if (!root.defined() || !root.requires_grad() || !gradient.defined()) return;
    roots.push_back(root);
    gradients.push_back(gradient);
  };
  for (std::size_t k = 0; k < segment.writes.size(); ++k) {
    const auto number = segment.writes[k].second;
    Tensor sum;
    for (const auto reader : plan_.readers[number]) {
      const auto came = gradients_.find({number, reader, m});
      if (came == gradients_.end()) continue;
      if (came->second.defined()) sum = sum.defined() ? sum + came->second : came->second;
      gradients_.erase(came);
    }
    add(run.written[k], sum);
  }
  if (run.loss.defined()) add(run.loss, gradient_of(run.loss, pass.factor));
  for (const auto& loss : run.losses.losses()) add(loss, gradient_of(loss, pass.factor * micro_.share(m)));
  auto* const gathered = replica_.gathered();
  if (!roots.empty()) gathered ? gathered->backward(roots, gradients) : torch::autograd::backward(roots, gradients);
  run.written.clear();
  run.loss = Tensor();
  run.losses = {};
  run.logits = {};
  if (part == 0) runs_.erase({part, m});
  computing_ += steady_seconds() - start - (seconds_away() - away_before);  // some exchange is moved on in backward
}

void PipelineStage::send_gradients(std::size_t part, int64_t m) {
  const auto& segment = plan_.cut.segments[part];
  const Run& run = runs_.at({part, m});
  for (std::size_t k = 0; k < segment.reads.size(); ++k) {
    const auto number = segment.reads[k], maker = plan_.maker[number];
    if (maker == plan_.cut.segments.size() || !run.leaves[k].requires_grad()) continue;
    const Tensor& gradient = run.leaves[k].grad();
    if (is_mine(maker)) {
      gradients_[{number, part, m}] = gradient;
    } else {
      link_.send(gradient, plan_.stage_of(maker), tag_of(number, part, m, true));
    }
  }
  runs_.erase({part, m});
}

}  // namespace tandem::distribute
