#include "tandem/distribution/loss_set.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/core/mask.h"
#include "tandem/core/shape.h"
#include "tandem/core/trailing_axes.h"

namespace tandem::distribute {
namespace {

// `factor`, weights (rows) or (rows, steps, ...) or a mask, to multiply values (rows, steps, ...) with. As in Keras a
// last axis of 1 that the values lack is dropped.
Tensor fitted(const char* what, const Tensor& factor, const Tensor& values) {
  Tensor fit = factor;
  if (fit.dim() == values.dim() + 1 && fit.size(-1) == 1) fit = fit.squeeze(-1);
  bool fits = fit.dim() <= values.dim();
  for (int64_t axis = 0; fits && axis < fit.dim(); ++axis) fits = fit.size(axis) == values.size(axis);
  if (!fits) {
    throw InvalidArgument(c10::str("loss: ", what, " must have the sizes of the first axes of the losses ",
                                   Shape::of(values.sizes().vec()), ", got ", Shape::of(factor.sizes().vec())));
  }
  return with_trailing_axes(fit, values.dim());
}

// Where values count, bool: what the output's mask and the loss's own say together; undefined for everywhere.
Tensor mask_for(const Loss& loss, const Tensor& target, const Tensor& output, const Tensor& values) {
  Tensor mask = mask_of(output);
  if (mask.defined()) mask = fitted("the output's mask", mask, values).expand_as(values);
  const Tensor own = loss.mask(target, output);
  if (!own.defined()) return mask;
  if (!loss.has_mask())
    throw InvalidArgument(c10::str("loss ", loss.class_name(), ": must override has_mask together with mask"));
  return mask.defined() ? mask.logical_and(own) : own;
}

}  // namespace

const Loss* LossSet::over_batch() const {
  for (const auto& loss : losses_) {
    if (loss->over_batch()) return loss.get();
  }
  return nullptr;
}

bool LossSet::has_mask() const {
  return std::any_of(losses_.begin(), losses_.end(), [](const auto& loss) { return loss->has_mask(); });
}

std::string LossSet::describe() const {
  std::string text;
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    text += c10::str(" ", losses_[i]->class_name(), " ", i < weights_.size() ? weights_[i] : 1.0);
    try {
      text += losses_[i]->get_config().to_json();
    } catch (const Error&) {  // a function of the program's own
    }
  }
  return text;
}

LossSet::Sums LossSet::add_up(const Tensors& outputs, const LogitsRecord& logits, const data::Batch& rows,
                              const SumOverBatch& sum) const {
  if (outputs.size() != static_cast<int64_t>(losses_.size()) || rows.y.size() != outputs.size()) {
    throw InvalidArgument(c10::str("loss: a model with ", outputs.size(),
                                   " outputs must get as many losses and targets, got ", losses_.size(), " losses and ",
                                   rows.y.size(), " targets"));
  }
  if (rows.weights.size() > 1 && rows.weights.size() != outputs.size()) {
    throw InvalidArgument(c10::str("loss: sample weights must be one tensor, or one for each of ", outputs.size(),
                                   " outputs, got ", rows.weights.size()));
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
    const Tensor mask = mask_for(loss, target, output, values);
    if (mask.defined()) {
      sums.masked = true;
      values = at::where(mask, values, at::zeros({}, values.options()));
      count = mask.sum().item<double>();
    }
    if (const Tensor weights = rows.weights_of(static_cast<int64_t>(i)); weights.defined())
      values = values * fitted("sample weights", weights.to(values.scalar_type()), values);
    sums.losses.push_back(values.sum());
    sums.counts.push_back(count);
  }
  return sums;
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
