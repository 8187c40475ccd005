#include "tandem/metrics/sample_weights.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/core/mask.h"
#include "tandem/core/trailing_axes.h"
#include "tandem/losses/targets.h"

namespace tandem {

Tensor fit_weights(const Tensor& values, const Tensor& sample_weight, const std::string& metric) {
  Tensor weight = sample_weight;
  if (weight.dim() == values.dim() + 1 && weight.size(-1) == 1) weight = weight.squeeze(-1);
  bool fits = weight.dim() <= values.dim();
  weight = with_trailing_axes(weight, values.dim());
  for (int64_t axis = 0; fits && axis < values.dim(); ++axis) {
    fits = weight.size(axis) == values.size(axis) || (axis > 0 && weight.size(axis) == 1);
  }
  if (!fits) {
    throw InvalidArgument(c10::str("metric ", metric, ": sample weights must have the shape of the values ",
                                   shape_text(values), " or one weight a row, got ", shape_text(sample_weight)));
  }
  return weight.expand_as(values);
}

Tensor weights_under_mask(const Tensor& sample_weight, const Tensor& y_pred, const std::string& metric) {
  const Tensor mask = mask_of(y_pred);
  if (!mask.defined()) return sample_weight;
  const Tensor counted = mask.to(at::kFloat);
  return sample_weight.defined() ? fit_weights(counted, sample_weight, metric) * counted : counted;
}

}  // namespace tandem
