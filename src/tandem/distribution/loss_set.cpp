#include "tandem/distribution/loss_set.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

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

LossSet::Value LossSet::compute(const Tensors& outputs, const LogitsRecord& logits, const data::Batch& rows, int64_t global_rows) const {
  if (outputs.size() != static_cast<int64_t>(losses_.size()) || rows.y.size() != outputs.size()) {
    throw InvalidArgument(c10::str("fit: a model with ", outputs.size(), " outputs must get as many losses and targets, got ", losses_.size(),
                                   " losses and ", rows.y.size(), " targets"));
  }
  Value value;
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    const auto& output = outputs[static_cast<int64_t>(i)];
    const auto& target = rows.y[static_cast<int64_t>(i)];
    const Tensor behind = losses_[i]->prefers_logits() ? logits.find(output) : Tensor();
    Tensor values = behind.defined() ? losses_[i]->call_with_logits(target, behind) : losses_[i]->call(target, output);
    const double values_a_row = static_cast<double>(values.numel()) / static_cast<double>(rows.rows());
    if (rows.weights.defined()) values = values * as_factor(rows.weights, values);
    const Tensor part = values.sum() / (values_a_row * static_cast<double>(global_rows));
    value.parts.push_back(part);
    const Tensor weighted = weights_[i] == 1.0 ? part : part * weights_[i];
    value.total = value.total.defined() ? value.total + weighted : weighted;
  }
  return value;
}

}  // namespace tandem::distribute
