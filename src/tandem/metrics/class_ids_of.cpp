#include "tandem/metrics/class_ids_of.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/losses/targets.h"

namespace tandem {

Tensor predicted_classes(const Tensor& y_pred) {
  if (y_pred.dim() < 2) return y_pred.gt(0.5).to(at::kLong);
  return y_pred.size(-1) == 1 ? y_pred.squeeze(-1).gt(0.5).to(at::kLong) : y_pred.argmax(-1);
}

Tensor true_classes(const Tensor& y_true, const Tensor& y_pred, const std::string& where) {
  if (y_pred.dim() < 2) return class_ids(y_true, y_pred.unsqueeze(-1), where);
  const bool by_class = y_true.sizes() == y_pred.sizes() && y_true.size(-1) > 1;
  return by_class ? y_true.argmax(-1) : class_ids(y_true, y_pred, where);
}

Tensor count_pairs(const Tensor& truth, const Tensor& predicted, const Tensor& weights, int64_t classes) {
  const Tensor a = truth.reshape({-1}), b = predicted.reshape({-1});
  const Tensor known = a.ge(0).logical_and_(a.lt(classes)).logical_and_(b.ge(0)).logical_and_(b.lt(classes));
  const Tensor pairs = (a * classes + b).masked_select(known);
  const Tensor weight = weights.defined() ? weights.to(at::kDouble).reshape({-1}).masked_select(known) : Tensor();
  return at::bincount(pairs, weight, classes * classes).to(at::kCPU, at::kDouble).reshape({classes, classes});
}

}  // namespace tandem
