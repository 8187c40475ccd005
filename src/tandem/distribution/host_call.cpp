#include "tandem/distribution/host_call.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>
#include <torch/csrc/autograd/autograd.h>

#include "tandem/core/error.h"
#include "tandem/core/mask.h"

namespace tandem::distribute {
namespace {

// The mask of a batch whose rows are those of `pieces`, which have one all or none.
Tensor whole_mask(const std::vector<Tensor>& pieces) {
  if (!mask_of(pieces.front()).defined()) return {};
  std::vector<Tensor> masks;
  for (const auto& piece : pieces) masks.push_back(mask_of(piece));
  return at::cat(masks);
}

}  // namespace

HostCall::HostCall(const Segment& segment, std::vector<int64_t> rows, std::vector<std::size_t> wanted)
    : segment_(segment), rows_(std::move(rows)), wanted_(std::move(wanted)) {
  int64_t edge = 0;
  for (auto n : rows_) {
    edges_.push_back(edge);
    edge += n;
  }
  edges_.push_back(edge);
}

std::string HostCall::name_of(const Segment& segment) {
  return c10::str("layer '", segment.steps.front().layer->name(), "' on the host");
}

void HostCall::forward(const std::vector<std::vector<Tensor>>& given, CallContext context, bool differentiable) {
  const auto check = [&](const Tensor& value, int64_t rows, const char* what) {
    if (value.dim() > 0 && value.size(0) == rows) return;
    throw InvalidArgument(c10::str("layers on the host from '", segment_.steps.front().layer->name(), "' on: must ",
                                   what, " a row for each of the batch's ", rows, " rows, got ",
                                   Shape::of(value.sizes().vec())));
  };
  const c10::AutoGradMode gradients(differentiable);
  for (std::size_t k = 0; k < segment_.reads.size(); ++k) {
    std::vector<Tensor> pieces;
    bool wants_gradient = false;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (rows_[r] == 0) continue;
      check(given[r][k], rows_[r], "get");
      pieces.push_back(given[r][k].detach());
      wants_gradient |= given[r][k].requires_grad();
    }
    leaves_.push_back(at::cat(pieces));
    set_mask(leaves_.back(), whole_mask(pieces));
    if (differentiable && wants_gradient) leaves_.back().set_requires_grad(true);
  }
  LogitsRecord logits;
  AddedLosses losses;
  AddedMetrics figures;
  if (context.logits) context.logits = &logits;
  if (context.added_losses) context.added_losses = &losses;
  if (context.added_metrics) context.added_metrics = &figures;
  const CallScope scope(context);
  written_ = segment_.run(leaves_, context);
  for (const auto& value : written_) check(value, edges_.back(), "give");
  for (auto k : wanted_) {
    if (const Tensor behind = logits.find(written_[k]); behind.defined()) {
      logits_of_.push_back(k);
      logits_.push_back(behind);
    }
  }
  losses_ = losses.losses();
  figures_ = figures.means();
}

std::vector<Tensor> HostCall::results(std::size_t rank) const {
  std::vector<Tensor> results;
  for (const auto* wholes : {&written_, &logits_}) {
    for (const auto& whole : *wholes) {
      results.push_back(rows_of(whole.detach(), rank).variable_data());
      if (const Tensor mask = mask_of(whole); mask.defined()) set_mask(results.back(), rows_of(mask, rank));
    }
  }
  for (const auto& loss : losses_) results.push_back(loss.detach());
  return results;
}

void HostCall::backward(const std::vector<std::vector<Tensor>>& gradients) {
  std::vector<Tensor> roots, of_roots;
  std::size_t next = 0;
  for (const auto* wholes : {&written_, &logits_}) {
    for (const auto& whole : *wholes) {
      std::vector<Tensor> pieces;
      bool any = false;
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        if (rows_[r] == 0) continue;
        any |= gradients[r][next].defined();
        pieces.push_back(gradients[r][next].defined() ? gradients[r][next]
                                                      : at::zeros_like(rows_of(whole.detach(), r)));
      }
      ++next;
      if (!any || !whole.requires_grad()) continue;
      roots.push_back(whole);
      of_roots.push_back(at::cat(pieces));
    }
  }
  for (const auto& loss : losses_) {
    Tensor sum;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (rows_[r] == 0 || !gradients[r][next].defined()) continue;
      sum = sum.defined() ? sum + gradients[r][next] : gradients[r][next];
    }
    ++next;
    if (!sum.defined() || !loss.requires_grad()) continue;
    roots.push_back(loss);
    of_roots.push_back(sum);
  }
  if (!roots.empty()) torch::autograd::backward(roots, of_roots);
  for (auto* kept : {&written_, &logits_, &losses_}) kept->clear();
}

std::vector<Tensor> HostCall::input_gradients(std::size_t rank) const {
  std::vector<Tensor> gradients;
  for (const auto& leaf : leaves_) gradients.push_back(leaf.grad().defined() ? rows_of(leaf.grad(), rank) : Tensor());
  return gradients;
}

}  // namespace tandem::distribute
