#include "tandem/distribution/step_figures.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace tandem::distribute {

StepFigures::StepFigures(c10::Device device) : device_(device) {
  if (!device.is_cpu()) copied_.emplace(device.type());
}

void StepFigures::begin() {
  loss_ = 0;
  by_output_.clear();
  reported_.clear();
  if (!on_gpu()) return;
  copied_->synchronize();  // of a step that failed
  used_ = 0;
  losses_on_way_ = Tensor();
  reports_on_way_.clear();
}

Tensor StepFigures::bring(const std::vector<Tensor>& scalars) {
  const c10::NoGradGuard no_grad;
  std::vector<Tensor> all;
  for (const auto& scalar : scalars) all.push_back(scalar.detach().reshape({}).to(device_, at::kDouble));
  const Tensor there = at::stack(all);
  if (used_ == places_.size()) places_.emplace_back();
  Tensor& here = places_[used_++];
  if (!here.defined() || here.numel() != there.numel())
    here = at::empty(there.sizes(), at::TensorOptions().dtype(at::kDouble).pinned_memory(true));
  here.copy_(there, /*non_blocking=*/true);
  copied_->record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  return here;
}

void StepFigures::set_loss(const Tensor& total, const std::vector<Tensor>& by_output) {
  if (on_gpu()) {
    std::vector<Tensor> all = by_output;
    all.push_back(total);
    losses_on_way_ = bring(all);
    return;
  }
  by_output_.clear();
  for (const auto& part : by_output) by_output_.push_back(part.item<double>());
  loss_ = total.item<double>();
}

void StepFigures::report(const std::string& name, const Tensor& value, double factor) {
  if (on_gpu()) {
    reports_on_way_[name] = {bring({value}), factor};
  } else {
    reported_[name] = value.item<double>() * factor;
  }
}

void StepFigures::settle() {
  if (!on_gpu() || used_ == 0) return;
  copied_->synchronize();
  if (losses_on_way_.defined()) {
    const auto* losses = losses_on_way_.const_data_ptr<double>();
    by_output_.assign(losses, losses + losses_on_way_.numel() - 1);
    loss_ = losses[losses_on_way_.numel() - 1];
  }
  for (const auto& [name, report] : reports_on_way_)
    reported_[name] = *report.first.const_data_ptr<double>() * report.second;
}

}  // namespace tandem::distribute
