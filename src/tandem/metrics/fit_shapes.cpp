#include "tandem/metrics/fit_shapes.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem {

Shape shape_of(const Tensor& tensor) { return Shape::of(tensor.sizes().vec()); }

std::pair<Tensor, Tensor> fit_shapes(const Tensor& y_true, const Tensor& y_pred, const std::string& metric) {
  Tensor truth = y_true, prediction = y_pred;
  if (prediction.dim() == truth.dim() + 1 && prediction.size(-1) == 1) truth = truth.unsqueeze(-1);
  if (truth.dim() == prediction.dim() + 1 && truth.size(-1) == 1) truth = truth.squeeze(-1);
  if (truth.sizes() != prediction.sizes()) {
    throw InvalidArgument(c10::str("metric ", metric, ": targets must have the shape of the predictions ",
                                   shape_of(y_pred).to_string(), ", got ", shape_of(y_true).to_string()));
  }
  return {truth, prediction};
}

}  // namespace tandem
