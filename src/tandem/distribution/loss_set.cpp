#include "tandem/distribution/loss_set.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem::distribute {
namespace {

// (rows) weights as a factor for values of shape (rows, ...).
Tensor as_factor(const Tensor& weights, const Tensor& values) {
  std::vector<int64_t> sizes(static_cast<std::size_t>(values.dim()), 1);
  sizes[0] = weights.size(0);
  return weights.to(values.scalar_type()).reshape(sizes);
}

}  // namespace

LossSet::Sums LossSet::add_up(const Tensors& outputs, const LogitsRecord& logits, const data::Batch& rows,
                              const SumOverBatch& sum) const {
  if (outputs.size() != static_cast<int64_t>(losses_.size()) || rows.y.size() != outputs.size()) {
    throw InvalidArgument(c10::str("loss: a model with ", outputs.size(),
                                   " outputs must get as many losses and targets, got ", losses_.size(), " losses and ",
                                   rows.y.size(), " targets"));
  }
  Sums sums;
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    const auto& loss = *losses_[i];
    const auto& output = outputs[static_cast<int64_t>(i)];
    const auto& target = rows.y[static_cast<int64_t>(i)];
    const Tensor behind = loss.prefers_logits() ? logits.find(output) : Tensor();
    Tensor values = behind.defined()    ? loss.call_with_logits(target, behind)
                    : loss.over_batch() ? loss.call_over_batch(target, output, sum)
                                        : loss.call(target, output);
    double count = static_cast<double>(values.numel());
    const Tensor mask = loss.mask(target, output);
    if (mask.defined()) {
      if (!loss.has_mask())
        throw InvalidArgument(c10::str("loss ", loss.class_name(), ": must override has_mask together with mask"));
      values = at::where(mask, values, at::zeros({}, values.options()));
      count = mask.sum().item<double>();
    }
    if (rows.weights.defined()) values = values * as_factor(rows.weights, values);
    sums.losses.push_back(values.sum());
    sums.counts.push_back(count);
  }
  return sums;
}

bool LossSet::masked() const {
  return std::any_of(losses_.begin(), losses_.end(), [](const auto& loss) { return loss->has_mask(); });
}

LossSet::Value LossSet::mean(const Sums& sums, const std::vector<double>& global_counts) const {
  Value value;
  for (std::size_t i = 0; i < sums.losses.size(); ++i) {
    const double divisor = losses_[i]->reduction() == Reduction::kSum ? 1 : global_counts[i];
    const Tensor part = divisor > 0 ? sums.losses[i] / divisor : sums.losses[i] * 0;
    value.parts.push_back(part);
    const Tensor weighted = weights_[i] == 1.0 ? part : part * weights_[i];
    value.total = value.total.defined() ? value.total + weighted : weighted;
  }
  return value;
}

}  // namespace tandem::distribute
